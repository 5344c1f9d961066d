CREATE TABLE traces (id bigint NOT NULL, day date NOT NULL) PARTITION BY RANGE (day);
DO $$
BEGIN
    FOR i IN 0..2999 LOOP
        EXECUTE format('CREATE TABLE traces_%s PARTITION OF traces FOR VALUES FROM (%L) TO (%L)',
                       i, date '2026-01-01' + i, date '2026-01-01' + i + 1);
    END LOOP;
END
$$;
