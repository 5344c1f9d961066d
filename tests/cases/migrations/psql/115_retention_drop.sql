BEGIN;
SET LOCAL lock_timeout = '2s';
DROP TABLE events_2026_09;
COMMIT;
