SET lock_timeout = '2s';
ALTER TABLE orders ADD COLUMN gross numeric GENERATED ALWAYS AS (total * 1.2) STORED;
