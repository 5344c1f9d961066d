SET lock_timeout = '2s';
ALTER TABLE orders ADD COLUMN number bigint GENERATED ALWAYS AS IDENTITY;
