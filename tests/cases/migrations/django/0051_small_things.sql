BEGIN;
--
-- Alter field title on document
--
SET LOCAL lock_timeout = '4s';
ALTER TABLE "documents" ALTER COLUMN "title" TYPE varchar(200);
--
-- Alter field plan on tenant
--
COMMIT;
