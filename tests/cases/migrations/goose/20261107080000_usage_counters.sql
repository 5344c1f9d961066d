-- +goose Up
CREATE TABLE usage_counters (
    tenant_id bigint NOT NULL,
    day date NOT NULL,
    requests bigint NOT NULL DEFAULT 0,
    PRIMARY KEY (tenant_id, day)
) PARTITION BY HASH (tenant_id);
-- +goose StatementBegin
DO $$
BEGIN
    FOR i IN 0..7 LOOP
        EXECUTE format('CREATE TABLE usage_counters_%s PARTITION OF usage_counters FOR VALUES WITH (MODULUS 8, REMAINDER %s)', i, i);
    END LOOP;
END
$$;
-- +goose StatementEnd

-- +goose Down
DROP TABLE usage_counters;
