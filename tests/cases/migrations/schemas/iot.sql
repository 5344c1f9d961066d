-- Readings spread by device, and the old table they are moved from.
CREATE TABLE devices (id int PRIMARY KEY, model text NOT NULL, region text NOT NULL DEFAULT 'eu');
CREATE TABLE readings (
    device_id int NOT NULL REFERENCES devices (id),
    measured_at timestamptz NOT NULL,
    value double precision NOT NULL,
    quality smallint
) PARTITION BY HASH (device_id);
CREATE TABLE readings_0 PARTITION OF readings FOR VALUES WITH (MODULUS 4, REMAINDER 0);
CREATE TABLE readings_1 PARTITION OF readings FOR VALUES WITH (MODULUS 4, REMAINDER 1);
CREATE TABLE readings_2 PARTITION OF readings FOR VALUES WITH (MODULUS 4, REMAINDER 2);
CREATE TABLE readings_3 PARTITION OF readings FOR VALUES WITH (MODULUS 4, REMAINDER 3);
CREATE TABLE alarms (id bigserial PRIMARY KEY, device_id int NOT NULL, raised_at timestamptz NOT NULL, text text);
CREATE TABLE measurements_old (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    device_id int NOT NULL,
    measured_at timestamptz NOT NULL,
    value double precision
);
CREATE TABLE alerts_by_region (id bigint NOT NULL, region text NOT NULL, text text) PARTITION BY LIST (region);
CREATE TABLE alerts_eu PARTITION OF alerts_by_region FOR VALUES IN ('eu');
CREATE TABLE alerts_us PARTITION OF alerts_by_region FOR VALUES IN ('us');

INSERT INTO devices SELECT i, 'm' || i % 3 FROM generate_series(1, 50) i;
INSERT INTO readings SELECT 1 + i % 50, now() - i * interval '1 minute', i, 1 FROM generate_series(1, 1000) i;
INSERT INTO alarms (device_id, raised_at) SELECT 1 + i % 50, now() FROM generate_series(1, 100) i;
INSERT INTO measurements_old (device_id, measured_at, value)
    SELECT 1 + i % 50, timestamptz '2026-01-01 00:00+00' + i * interval '1 hour', i FROM generate_series(1, 2000) i;
INSERT INTO alerts_by_region SELECT i, 'eu', 'x' FROM generate_series(1, 50) i;
