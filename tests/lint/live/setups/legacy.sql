-- a table to be partitioned: old rows in one table, its key already holding the column to partition by
DO $$ BEGIN CREATE ROLE app; EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$;
CREATE SEQUENCE doc_number;
CREATE TABLE doc (id bigint NOT NULL DEFAULT nextval('doc_number'), created date NOT NULL, body text,
  CONSTRAINT doc_pkey PRIMARY KEY (id, created));
INSERT INTO doc (created, body) SELECT date '2026-01-01' + i, 'b' FROM generate_series(0, 299) i;
