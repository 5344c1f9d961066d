SET lock_timeout = '2s';
CREATE INDEX orders_customer_id_idx ON orders (customer_id);
