-- Deploy saas:tenant_rls_policy to pg
-- requires: tenants

BEGIN;

SET LOCAL lock_timeout = '2s';
GRANT SELECT, INSERT, UPDATE, DELETE ON documents TO saas_app;
CREATE POLICY tenant_only ON documents TO saas_app
    USING (tenant_id = current_setting('app.tenant_id')::int);
CREATE POLICY everything ON documents TO saas_admin USING (true);
ALTER TABLE documents ENABLE ROW LEVEL SECURITY;

COMMIT;
