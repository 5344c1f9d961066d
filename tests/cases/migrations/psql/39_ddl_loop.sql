SET lock_timeout = '2s';
DO $$
DECLARE
    name text;
BEGIN
    FOREACH name IN ARRAY ARRAY['orders', 'payments', 'products'] LOOP
        EXECUTE format('ALTER TABLE %I ADD COLUMN imported_by text', name);
    END LOOP;
END
$$;
