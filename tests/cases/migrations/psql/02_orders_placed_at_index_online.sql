-- reports by day are slow
SET lock_timeout = '5s';
DROP INDEX CONCURRENTLY IF EXISTS orders_placed_at_idx;
RESET lock_timeout;
CREATE INDEX CONCURRENTLY orders_placed_at_idx ON orders (placed_at);
ANALYZE orders;
