-- the same with all that hangs on orders
SET lock_timeout = '2s';
CREATE TABLE orders_all (LIKE orders INCLUDING DEFAULTS INCLUDING CONSTRAINTS INCLUDING INDEXES INCLUDING IDENTITY)
    PARTITION BY RANGE (id);
CREATE TABLE orders_next PARTITION OF orders_all FOR VALUES FROM (1000000) TO (MAXVALUE);
ALTER TABLE orders_all ADD CONSTRAINT orders_customer_id_fkey FOREIGN KEY (customer_id) REFERENCES customers (id);
GRANT SELECT ON orders_all TO shop_report;
ALTER TABLE orders ADD CONSTRAINT orders_past CHECK (id < 1000000) NOT VALID;
ALTER TABLE orders VALIDATE CONSTRAINT orders_past;
SELECT setval(pg_get_serial_sequence('orders_all', 'id'), 1000000);
BEGIN;
ALTER TABLE orders ALTER COLUMN id DROP IDENTITY;
ALTER TABLE orders RENAME TO orders_past;
ALTER TABLE orders_all RENAME TO orders;
ALTER TABLE orders ATTACH PARTITION orders_past FOR VALUES FROM (MINVALUE) TO (1000000);
ALTER TABLE order_lines DROP CONSTRAINT order_lines_order_id_fkey;
ALTER TABLE order_lines ADD CONSTRAINT order_lines_order_id_fkey FOREIGN KEY (order_id) REFERENCES orders (id) NOT VALID;
CREATE OR REPLACE VIEW open_orders AS SELECT id, customer_id, total FROM orders WHERE shipped_at IS NULL;
DROP MATERIALIZED VIEW daily_sales;
CREATE MATERIALIZED VIEW daily_sales AS
    SELECT placed_at::date AS day, count(*) AS orders, sum(total) AS total FROM orders GROUP BY 1 WITH NO DATA;
CREATE UNIQUE INDEX daily_sales_day_idx ON daily_sales (day);
COMMIT;
ALTER TABLE order_lines VALIDATE CONSTRAINT order_lines_order_id_fkey;
REFRESH MATERIALIZED VIEW daily_sales;
