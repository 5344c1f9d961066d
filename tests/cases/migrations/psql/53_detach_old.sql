SET lock_timeout = '2s';
ALTER TABLE events DETACH PARTITION events_2026_09;
DROP TABLE events_2026_09;
