-- an insert locks orders and then the partition; this transaction locks them the other way round
BEGIN;
SET LOCAL lock_timeout = '5s';
ALTER TABLE orders_2026 ALTER COLUMN note SET DEFAULT '';
ALTER TABLE orders ADD CONSTRAINT orders_customer CHECK (customer_id >= 0) NOT VALID;
COMMIT;
