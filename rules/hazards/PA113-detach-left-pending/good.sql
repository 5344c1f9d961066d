-- nothing cancels it; and if somebody does, ALTER TABLE orders DETACH PARTITION orders_2024 FINALIZE ends it
SET statement_timeout = 0;
ALTER TABLE orders DETACH PARTITION orders_2024 CONCURRENTLY;
