BEGIN;
SET LOCAL lock_timeout = '2s';
ALTER TABLE orders ADD COLUMN channel text;
UPDATE orders SET channel = 'web' WHERE placed_at < '2026-02-01 00:00+00';
COMMIT;
