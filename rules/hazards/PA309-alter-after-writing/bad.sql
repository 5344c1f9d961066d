BEGIN;
SET LOCAL lock_timeout = '5s';
UPDATE orders SET status = 'open' WHERE id = 7;
ALTER TABLE orders ALTER COLUMN status SET DEFAULT 'open';
COMMIT;
