BEGIN;
SET LOCAL lock_timeout = '2s';
ALTER TABLE orders ADD COLUMN channel text;
SELECT pg_sleep(0.05);
COMMIT;
