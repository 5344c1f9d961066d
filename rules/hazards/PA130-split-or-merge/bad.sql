-- no released version has it
SET lock_timeout = '2s';
ALTER TABLE orders MERGE PARTITIONS (orders_2024, orders_2025) INTO orders_old;
