CREATE INDEX CONCURRENTLY orders_customer_placed_idx ON orders (customer_id, placed_at DESC);
DROP INDEX CONCURRENTLY orders_customer_id_idx;
ALTER INDEX orders_customer_placed_idx RENAME TO orders_customer_id_idx;
