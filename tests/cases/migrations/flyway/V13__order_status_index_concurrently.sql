create index concurrently idx_orders_status on orders (status);
