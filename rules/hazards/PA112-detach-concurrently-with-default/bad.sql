-- refused as long as event has a DEFAULT partition
SET lock_timeout = '2s';
ALTER TABLE event DETACH PARTITION event_2026_01 CONCURRENTLY;
