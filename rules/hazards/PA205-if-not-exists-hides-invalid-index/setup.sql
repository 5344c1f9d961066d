-- what a cancelled CREATE INDEX CONCURRENTLY leaves
DO $$
BEGIN
  EXECUTE concat('CREATE INDEX customers_region_idx ', 'ON customers (region)');
END
$$;
UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'customers_region_idx'::regclass;
