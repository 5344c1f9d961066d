BEGIN;
SET LOCAL lock_timeout = '2s';
ALTER TABLE orders ADD COLUMN channel text;
COMMIT;
UPDATE orders SET channel = 'web' WHERE id BETWEEN 0 AND 49;
UPDATE orders SET channel = 'web' WHERE id BETWEEN 50 AND 99;
