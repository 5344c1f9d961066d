-- a unique index is not a primary key: ATTACH builds a second one
SET lock_timeout = 0;
CREATE UNIQUE INDEX CONCURRENTLY orders_late_key ON orders_late (id, created);
CREATE INDEX CONCURRENTLY orders_late_customer_id ON orders_late (customer_id);
SET lock_timeout = '2s';
ALTER TABLE orders ATTACH PARTITION orders_late FOR VALUES FROM ('2028-01-01') TO ('2029-01-01');
