-- one day's worth, small enough for one statement
BEGIN;
SET LOCAL statement_timeout = '60s';
WITH gone AS (
    DELETE FROM alarms WHERE id BETWEEN 1 AND 50 RETURNING device_id, raised_at
)
SELECT count(*) FROM gone;
COMMIT;
