-- the partition that new rows need, before they come
SET lock_timeout = '2s';
CREATE TABLE orders_2028 (LIKE orders INCLUDING ALL);
ALTER TABLE orders ATTACH PARTITION orders_2028 FOR VALUES FROM ('2028-01-01') TO ('2029-01-01');
