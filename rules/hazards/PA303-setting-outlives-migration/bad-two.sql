SET lock_timeout = '300ms';
ALTER TABLE orders ADD COLUMN channel text;
-- V8__email.sql would have waited for the report that is running
ALTER TABLE customers ADD COLUMN verified boolean;
