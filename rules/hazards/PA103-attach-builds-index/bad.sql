-- the primary key and the index on customer_id are built inside ATTACH, with orders_late locked against everybody
SET lock_timeout = '2s';
ALTER TABLE orders ATTACH PARTITION orders_late FOR VALUES FROM ('2028-01-01') TO ('2029-01-01');
