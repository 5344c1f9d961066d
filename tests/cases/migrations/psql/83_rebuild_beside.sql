-- a new table under its final name and a view for the old readers
BEGIN;
SET LOCAL lock_timeout = '2s';
CREATE TABLE job_archive (LIKE jobs INCLUDING DEFAULTS);
ALTER TABLE job_archive ADD COLUMN archived_at timestamptz NOT NULL DEFAULT clock_timestamp();
CREATE INDEX job_archive_run_at ON job_archive (run_at);
ALTER TABLE job_archive ADD PRIMARY KEY (id);
ALTER TABLE job_archive RENAME COLUMN locked_by TO worker;
CREATE TRIGGER job_archive_touch BEFORE INSERT ON job_archive
    FOR EACH ROW EXECUTE FUNCTION suppress_redundant_updates_trigger();
COMMIT;
