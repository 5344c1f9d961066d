SET lock_timeout = '2s';
REINDEX INDEX orders_placed_at_idx;
