SET lock_timeout = 0;
ALTER TABLE orders DETACH PARTITION orders_2024 CONCURRENTLY;
SET lock_timeout = '2s';
DROP TABLE orders_2024;
