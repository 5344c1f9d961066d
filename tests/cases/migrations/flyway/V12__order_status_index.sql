create index idx_orders_status on orders (status);
create index idx_orders_status_placed on orders (status, placed_at);
