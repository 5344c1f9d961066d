-- +goose Up
-- +goose StatementBegin
DO $$
BEGIN
    DELETE FROM jobs WHERE run_at < now() - interval '1 year';
    PERFORM pg_sleep(0.05);
END
$$;
-- +goose StatementEnd

-- +goose Down
SELECT 1;
