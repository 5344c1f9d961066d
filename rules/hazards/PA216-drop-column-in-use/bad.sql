SET lock_timeout = '2s';
ALTER TABLE orders DROP COLUMN total;
