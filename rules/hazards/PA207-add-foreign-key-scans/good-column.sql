-- a new column is NULL everywhere: nothing to check
SET lock_timeout = '2s';
ALTER TABLE orders ADD COLUMN payer_id bigint REFERENCES customers (id);
