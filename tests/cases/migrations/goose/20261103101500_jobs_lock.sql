-- +goose Up
ALTER TABLE jobs ADD COLUMN locked_at timestamptz, ADD COLUMN attempts int NOT NULL DEFAULT 0;
CREATE INDEX jobs_due_idx ON jobs (queue, run_at) WHERE locked_by IS NULL;

-- +goose Down
DROP INDEX jobs_due_idx;
ALTER TABLE jobs DROP COLUMN locked_at, DROP COLUMN attempts;
