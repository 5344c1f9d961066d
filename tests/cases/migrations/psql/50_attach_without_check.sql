-- December came from the loader
BEGIN;
SET LOCAL lock_timeout = '2s';
ALTER TABLE events ATTACH PARTITION imported_2026_12
    FOR VALUES FROM ('2026-12-01 00:00+00') TO ('2027-01-01 00:00+00');
COMMIT;
