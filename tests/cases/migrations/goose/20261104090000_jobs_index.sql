-- +goose NO TRANSACTION
-- +goose Up
CREATE INDEX CONCURRENTLY jobs_due_idx ON jobs (queue, run_at) WHERE locked_by IS NULL;

-- +goose Down
DROP INDEX CONCURRENTLY jobs_due_idx;
