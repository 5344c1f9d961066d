CREATE UNIQUE INDEX CONCURRENTLY customers_email_key ON customers (email);
SET lock_timeout = '2s';
ALTER TABLE customers ADD CONSTRAINT customers_email_key UNIQUE USING INDEX customers_email_key;
