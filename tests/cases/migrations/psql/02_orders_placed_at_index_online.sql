-- reports by day are slow
DROP INDEX CONCURRENTLY IF EXISTS orders_placed_at_idx;
CREATE INDEX CONCURRENTLY orders_placed_at_idx ON orders (placed_at);
ANALYZE orders;
