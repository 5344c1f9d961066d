-- Deploy saas:tenant_rls to pg

BEGIN;

SET LOCAL lock_timeout = '2s';
GRANT SELECT, INSERT, UPDATE, DELETE ON documents TO saas_app;
ALTER TABLE documents ENABLE ROW LEVEL SECURITY;

COMMIT;
