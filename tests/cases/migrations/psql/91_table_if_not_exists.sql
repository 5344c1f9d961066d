CREATE TABLE IF NOT EXISTS jobs (
    id bigserial PRIMARY KEY,
    queue text NOT NULL,
    payload jsonb NOT NULL,
    run_at timestamptz NOT NULL,
    retries int NOT NULL DEFAULT 0
);
