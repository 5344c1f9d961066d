DROP INDEX CONCURRENTLY IF EXISTS customers_region_idx;
CREATE INDEX CONCURRENTLY customers_region_idx ON customers (region);
