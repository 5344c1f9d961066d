-- Deploy shop:cluster_daily to pg

BEGIN;

SET LOCAL lock_timeout = '2s';
ALTER TABLE orders CLUSTER ON orders_customer_id_idx;
CLUSTER orders;

COMMIT;
