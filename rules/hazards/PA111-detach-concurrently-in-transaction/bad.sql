-- DETACH CONCURRENTLY commits in the middle of its work, so it refuses to run inside a transaction block
BEGIN;
SET LOCAL lock_timeout = '2s';
ALTER TABLE orders DETACH PARTITION orders_2024 CONCURRENTLY;
COMMIT;
