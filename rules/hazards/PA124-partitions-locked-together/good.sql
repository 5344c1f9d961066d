-- a transaction for each: only one partition is locked at a time
SET lock_timeout = '2s';
ALTER TABLE orders_2024 ALTER COLUMN note SET DEFAULT '';
ALTER TABLE orders_2025 ALTER COLUMN note SET DEFAULT '';
