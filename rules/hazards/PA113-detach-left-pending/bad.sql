-- given up half-way, the partition stays pending: orders has lost its rows and takes none for 2024
SET lock_timeout = '300ms';
ALTER TABLE orders DETACH PARTITION orders_2024 CONCURRENTLY;
