-- each row is compared with the bounds of all other partitions while nobody can use orders_rest
SET lock_timeout = '2s';
ALTER TABLE orders ATTACH PARTITION orders_rest DEFAULT;
