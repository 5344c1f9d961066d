DROP INDEX CONCURRENTLY orders_placed_at_idx;
