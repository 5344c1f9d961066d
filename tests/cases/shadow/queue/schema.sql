-- hot: public.job
CREATE TABLE job (id bigint NOT NULL, queue text NOT NULL, state text NOT NULL, run_at timestamptz NOT NULL, attempts int NOT NULL DEFAULT 0, body text, PRIMARY KEY (id, queue));
CREATE INDEX ON job (queue, state, run_at);
CREATE INDEX ON job (run_at);
