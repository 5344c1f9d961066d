BEGIN;
--
-- Rename field active on user to is_active
--
SET LOCAL lock_timeout = '5s';
ALTER TABLE "users" RENAME COLUMN "active" TO "is_active";
COMMIT;
