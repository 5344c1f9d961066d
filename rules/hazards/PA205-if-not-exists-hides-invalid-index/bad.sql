CREATE INDEX CONCURRENTLY IF NOT EXISTS customers_region_idx ON customers (region);
