CREATE TABLE rate_limits (
    client text NOT NULL,
    at timestamptz NOT NULL,
    hits int NOT NULL
) PARTITION BY RANGE (at);
CREATE TABLE rate_limits_2026_12 PARTITION OF rate_limits
    FOR VALUES FROM ('2026-12-01 00:00+00') TO ('2027-01-01 00:00+00');
CREATE TABLE rate_limits_2027_01 PARTITION OF rate_limits
    FOR VALUES FROM ('2027-01-01 00:00+00') TO ('2027-02-01 00:00+00');
CREATE INDEX ON rate_limits (client, at);
