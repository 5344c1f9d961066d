BEGIN;
--
-- Alter field state on document
--
UPDATE "documents" SET "state" = 'draft' WHERE "state" IS NULL; SET CONSTRAINTS ALL IMMEDIATE;
ALTER TABLE "documents" ALTER COLUMN "state" SET NOT NULL;
COMMIT;
