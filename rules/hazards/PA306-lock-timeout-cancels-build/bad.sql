SET lock_timeout = '300ms';
CREATE INDEX CONCURRENTLY orders_customer_id_idx ON orders (customer_id);
