-- next three months of something nobody uses yet
CREATE TABLE heartbeats (node int NOT NULL, at timestamptz NOT NULL) PARTITION BY RANGE (at);
DO $$
DECLARE
    month date;
BEGIN
    FOR month IN SELECT generate_series(date '2026-12-01', date '2027-02-01', interval '1 month') LOOP
        EXECUTE format('CREATE TABLE heartbeats_%s PARTITION OF heartbeats FOR VALUES FROM (%L) TO (%L)',
                       to_char(month, 'YYYY_MM'), month, (month + interval '1 month')::date);
    END LOOP;
END
$$;
