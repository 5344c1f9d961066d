-- a table to be partitioned: its key holds the column to partition by already, and nothing hangs on it
DO $$
BEGIN
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'app') THEN
    CREATE ROLE app;
  END IF;
  EXECUTE format('GRANT USAGE ON SCHEMA %I TO app', current_schema);
END $$;
CREATE SEQUENCE doc_number;
CREATE TABLE doc (id bigint NOT NULL DEFAULT nextval('doc_number'), created date NOT NULL, body text,
  CONSTRAINT doc_pkey PRIMARY KEY (id, created));
INSERT INTO doc (created, body) SELECT date '2026-01-01' + i, 'b' FROM generate_series(0, 299) i;
