SET statement_timeout = '300ms';
ALTER TABLE orders DETACH PARTITION orders_2024 CONCURRENTLY;
