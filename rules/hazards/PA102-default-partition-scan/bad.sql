-- the rows of event_default are read, all of them, to see whether one belongs to the new partition
SET lock_timeout = '2s';
ALTER TABLE event ATTACH PARTITION event_2026_02
  FOR VALUES FROM ('2026-02-01 00:00+00') TO ('2026-03-01 00:00+00');
