BEGIN;
DROP VIEW IF EXISTS monthly_readings;
CREATE VIEW monthly_readings AS
    SELECT device_id, date_trunc('month', measured_at) AS month, avg(value) AS average FROM readings GROUP BY 1, 2;
COMMENT ON VIEW monthly_readings IS 'for the report on the first of the month';
COMMIT;
