-- ACCESS EXCLUSIVE on orders: it waits for every running query on any partition, and all new ones wait behind it
SET lock_timeout = '2s';
ALTER TABLE orders DETACH PARTITION orders_2024;
