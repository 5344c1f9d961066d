BEGIN;
--
-- Add field reviewer to document
--
ALTER TABLE "documents" ADD COLUMN "reviewer_id" bigint NULL CONSTRAINT "documents_reviewer_id_9f1b_fk_users_id" REFERENCES "users"("id") DEFERRABLE INITIALLY DEFERRED; SET CONSTRAINTS "documents_reviewer_id_9f1b_fk_users_id" IMMEDIATE;
CREATE INDEX "documents_reviewer_id_9f1b" ON "documents" ("reviewer_id");
COMMIT;
