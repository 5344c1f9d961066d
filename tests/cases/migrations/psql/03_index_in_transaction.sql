BEGIN;
SET LOCAL lock_timeout = '3s';
CREATE INDEX CONCURRENTLY payments_order_id_idx ON payments (order_id);
COMMIT;
