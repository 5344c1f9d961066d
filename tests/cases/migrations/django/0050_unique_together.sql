BEGIN;
--
-- Alter unique_together for user (1 constraint(s))
--
ALTER TABLE "users" ADD CONSTRAINT "users_tenant_id_email_8c1f_uniq" UNIQUE ("tenant_id", "email");
COMMIT;
