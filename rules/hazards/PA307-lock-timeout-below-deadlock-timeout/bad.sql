SET lock_timeout = '300ms';
ALTER TABLE orders ADD COLUMN channel text;
