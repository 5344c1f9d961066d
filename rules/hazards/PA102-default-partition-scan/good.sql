-- a validated CHECK on the DEFAULT partition says the same, so no row is read under the lock
SET lock_timeout = '2s';
ALTER TABLE event_default ADD CONSTRAINT not_2026_02
  CHECK (at < '2026-02-01 00:00+00' OR at >= '2026-03-01 00:00+00') NOT VALID;
ALTER TABLE event_default VALIDATE CONSTRAINT not_2026_02;
ALTER TABLE event ATTACH PARTITION event_2026_02
  FOR VALUES FROM ('2026-02-01 00:00+00') TO ('2026-03-01 00:00+00');
ALTER TABLE event_default DROP CONSTRAINT not_2026_02;
