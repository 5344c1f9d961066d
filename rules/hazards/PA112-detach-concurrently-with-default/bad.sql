-- refused as long as event has a DEFAULT partition
SET lock_timeout = 0;
ALTER TABLE event DETACH PARTITION event_2026_01 CONCURRENTLY;
