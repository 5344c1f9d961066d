SET lock_timeout = '2s';
ALTER TABLE bookings DROP CONSTRAINT bookings_account_fkey;
ALTER TABLE accounts DROP CONSTRAINT accounts_pkey;
ALTER TABLE accounts ADD CONSTRAINT accounts_pkey PRIMARY KEY USING INDEX accounts_id;
ALTER TABLE bookings ADD CONSTRAINT bookings_account_fkey FOREIGN KEY (account_id) REFERENCES accounts NOT VALID;
ALTER TABLE bookings VALIDATE CONSTRAINT bookings_account_fkey;
