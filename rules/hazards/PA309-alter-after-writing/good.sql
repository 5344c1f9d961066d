BEGIN;
UPDATE orders SET status = 'open' WHERE id = 7;
COMMIT;
BEGIN;
SET LOCAL lock_timeout = '5s';
ALTER TABLE orders ALTER COLUMN status SET DEFAULT 'open';
COMMIT;
