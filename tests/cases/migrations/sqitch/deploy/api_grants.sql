-- Deploy saas:api_grants to pg

BEGIN;

GRANT USAGE ON SCHEMA public TO saas_app;
GRANT SELECT ON tenants, users TO saas_app;
REVOKE ALL ON jobs FROM PUBLIC;
ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT SELECT ON TABLES TO saas_admin;

COMMIT;
