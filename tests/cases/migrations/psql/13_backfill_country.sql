BEGIN;
SET LOCAL lock_timeout = '2s';
ALTER TABLE customers ADD COLUMN region text;
UPDATE customers SET region = 'EU';
COMMIT;
