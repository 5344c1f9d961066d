BEGIN;
--
-- Alter field last_seen on user
--
SET LOCAL lock_timeout = '5s';
ALTER TABLE "users" ALTER COLUMN "last_seen" TYPE timestamp with time zone USING "last_seen"::timestamp with time zone;
COMMIT;
