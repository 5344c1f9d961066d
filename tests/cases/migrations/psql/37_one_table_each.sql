BEGIN;
SET LOCAL lock_timeout = '2s';
ALTER TABLE orders ADD COLUMN region text, ALTER COLUMN region SET DEFAULT 'eu';
COMMIT;
BEGIN;
SET LOCAL lock_timeout = '2s';
ALTER TABLE payments ADD COLUMN region text, ALTER COLUMN region SET DEFAULT 'eu';
COMMIT;
