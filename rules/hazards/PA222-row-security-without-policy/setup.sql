DO $$ BEGIN CREATE ROLE app; EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$;
DO $$ BEGIN EXECUTE format('GRANT USAGE ON SCHEMA %I TO app', current_schema()); END $$;
GRANT SELECT ON customers TO app;
