-- the same for a partition that is new and empty
SET lock_timeout = '2s';
CREATE TABLE event_2026_03 PARTITION OF event FOR VALUES FROM ('2026-03-01 00:00+00') TO ('2026-04-01 00:00+00');
