-- while it waits for the readers of the second partition, nobody can use the first
BEGIN;
SET LOCAL lock_timeout = '2s';
ALTER TABLE orders_2024 ALTER COLUMN note SET DEFAULT '';
ALTER TABLE orders_2025 ALTER COLUMN note SET DEFAULT '';
COMMIT;
