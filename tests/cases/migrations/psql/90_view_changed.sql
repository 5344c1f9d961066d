CREATE OR REPLACE VIEW open_orders AS SELECT id, total FROM orders WHERE shipped_at IS NULL;
