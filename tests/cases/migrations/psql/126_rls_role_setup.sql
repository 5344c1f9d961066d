BEGIN;
SET LOCAL lock_timeout = '2s';
CREATE POLICY jobs_of_worker ON jobs FOR SELECT TO saas_app USING (locked_by = current_user);
CREATE POLICY jobs_admin ON jobs TO saas_admin USING (true) WITH CHECK (true);
ALTER TABLE jobs ENABLE ROW LEVEL SECURITY;
ALTER TABLE jobs FORCE ROW LEVEL SECURITY;
GRANT SELECT ON jobs TO saas_app;
COMMIT;
