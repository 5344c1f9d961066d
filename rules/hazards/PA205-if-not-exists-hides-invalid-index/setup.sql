-- what a cancelled CREATE INDEX CONCURRENTLY leaves
CREATE INDEX customers_region_idx ON customers (region);
UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'customers_region_idx'::regclass;
