BEGIN;
--
-- Remove field settings from user
--
ALTER TABLE "users" DROP COLUMN "settings" CASCADE;
COMMIT;
