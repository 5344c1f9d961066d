BEGIN;
SET LOCAL lock_timeout = '2s';
LOCK TABLE readings IN SHARE MODE;
SELECT max(measured_at) FROM readings;
COMMIT;
