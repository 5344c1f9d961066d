SET lock_timeout = '2s';
DO $$
DECLARE
  name text;
BEGIN
  FOR name IN SELECT unnest(ARRAY['orders', 'payments']) LOOP
    EXECUTE format('ALTER TABLE %I ADD COLUMN imported_by text', name);
  END LOOP;
END
$$;
