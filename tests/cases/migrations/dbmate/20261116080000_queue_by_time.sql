-- migrate:up
CREATE TABLE job_log (
    id bigint GENERATED ALWAYS AS IDENTITY,
    job_id bigint NOT NULL,
    logged_at timestamptz NOT NULL,
    line text NOT NULL,
    PRIMARY KEY (id, logged_at)
) PARTITION BY RANGE (logged_at);
CREATE TABLE job_log_2026_11 PARTITION OF job_log FOR VALUES FROM ('2026-11-01 00:00+00') TO ('2026-12-01 00:00+00');
CREATE TABLE job_log_2026_12 PARTITION OF job_log FOR VALUES FROM ('2026-12-01 00:00+00') TO ('2027-01-01 00:00+00');
CREATE INDEX ON job_log (job_id);

-- migrate:down
DROP TABLE job_log;
