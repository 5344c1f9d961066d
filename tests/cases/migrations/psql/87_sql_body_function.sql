CREATE FUNCTION tenant_users(tenant int) RETURNS bigint LANGUAGE sql STABLE
BEGIN ATOMIC
    SELECT count(*) FROM users WHERE tenant_id = tenant;
END;
GRANT EXECUTE ON FUNCTION tenant_users(int) TO saas_app;
