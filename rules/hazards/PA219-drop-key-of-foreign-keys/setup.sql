CREATE TABLE accounts (id bigint CONSTRAINT accounts_pkey PRIMARY KEY);
CREATE TABLE bookings (account_id bigint CONSTRAINT bookings_account_fkey REFERENCES accounts);
CREATE UNIQUE INDEX accounts_id ON accounts (id) WITH (fillfactor = 70);
