SET lock_timeout = 0;
DROP INDEX CONCURRENTLY orders_customer_id;
