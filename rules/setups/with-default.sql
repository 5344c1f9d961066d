-- by range, with a DEFAULT partition that holds rows; and a table to attach that lacks nothing
CREATE TABLE event (id bigint NOT NULL, at timestamptz NOT NULL, kind text) PARTITION BY RANGE (at);
CREATE TABLE event_2026_01 PARTITION OF event FOR VALUES FROM ('2026-01-01 00:00+00') TO ('2026-02-01 00:00+00');
CREATE TABLE event_default PARTITION OF event DEFAULT;
INSERT INTO event SELECT i, timestamptz '2026-01-01 00:00+00' + i * interval '1 hour', 'k' FROM generate_series(0, 299) i;
INSERT INTO event SELECT i, timestamptz '2020-01-01 00:00+00' + i * interval '1 hour', 'k' FROM generate_series(0, 299) i;
CREATE TABLE event_2026_02 (LIKE event);
INSERT INTO event_2026_02 SELECT i, timestamptz '2026-02-01 00:00+00' + i * interval '1 hour', 'k' FROM generate_series(0, 299) i;
ALTER TABLE event_2026_02 ADD CONSTRAINT event_2026_02_at CHECK (at >= '2026-02-01 00:00+00' AND at < '2026-03-01 00:00+00');
