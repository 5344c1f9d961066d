-- the parent first, like everybody else
BEGIN;
SET LOCAL lock_timeout = '5s';
ALTER TABLE orders ADD CONSTRAINT orders_customer CHECK (customer_id >= 0) NOT VALID;
ALTER TABLE orders_2026 ALTER COLUMN note SET DEFAULT '';
COMMIT;
