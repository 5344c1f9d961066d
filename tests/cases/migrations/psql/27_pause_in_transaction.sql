BEGIN;
SET LOCAL lock_timeout = '2s';
ALTER TABLE orders ADD COLUMN priority smallint;
-- let the replicas catch up
SELECT pg_sleep(0.2);
ALTER TABLE orders ADD COLUMN priority_reason text;
COMMIT;
