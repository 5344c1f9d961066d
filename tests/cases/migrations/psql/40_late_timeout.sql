BEGIN;
ALTER TABLE payments ADD COLUMN fee numeric(12, 2);
SET LOCAL lock_timeout = '2s';
ALTER TABLE payments ADD COLUMN fee_currency char(3);
COMMIT;
