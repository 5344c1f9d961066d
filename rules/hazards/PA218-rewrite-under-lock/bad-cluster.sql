SET lock_timeout = '2s';
CLUSTER orders USING orders_placed_at_idx;
