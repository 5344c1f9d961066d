-- reports by day are slow
CREATE INDEX orders_placed_at_idx ON orders (placed_at);
ANALYZE orders;
