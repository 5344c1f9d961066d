-- a validated CHECK says that all of it lies outside of the partitions there are
SET lock_timeout = '2s';
ALTER TABLE orders_rest ADD CONSTRAINT orders_rest_created CHECK (created >= '2027-01-01') NOT VALID;
ALTER TABLE orders_rest VALIDATE CONSTRAINT orders_rest_created;
ALTER TABLE orders ATTACH PARTITION orders_rest DEFAULT;
