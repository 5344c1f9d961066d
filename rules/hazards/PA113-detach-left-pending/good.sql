-- it waits without holding a lock on orders, so it may wait; nothing cancels it
SET lock_timeout = 0;
SET statement_timeout = 0;
ALTER TABLE orders DETACH PARTITION orders_2024 CONCURRENTLY;
