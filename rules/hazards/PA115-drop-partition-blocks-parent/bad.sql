-- ACCESS EXCLUSIVE on orders, not only on orders_2024
SET lock_timeout = '2s';
DROP TABLE orders_2024;
