SET lock_timeout = '2s';
DROP INDEX orders_placed_at_idx;
