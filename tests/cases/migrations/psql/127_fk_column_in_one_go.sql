\timing on
BEGIN;
SET LOCAL lock_timeout = '2s';
ALTER TABLE payments ADD COLUMN customer_id int REFERENCES customers (id) ON DELETE SET NULL;
COMMIT;
