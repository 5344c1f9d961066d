-- ACCESS EXCLUSIVE on orders: it waits for every running query, and all new ones wait behind it
SET lock_timeout = '2s';
CREATE TABLE orders_2028 PARTITION OF orders FOR VALUES FROM ('2028-01-01') TO ('2029-01-01');
