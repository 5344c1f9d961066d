SET lock_timeout = '2s';
ALTER TABLE customers ADD CONSTRAINT customers_email_key UNIQUE (email);
