SET lock_timeout = '2s';
ALTER TABLE orders RENAME COLUMN total TO amount;
