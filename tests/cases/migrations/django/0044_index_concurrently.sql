--
-- Concurrently create index documents_owner_idx on field(s) owner_id of model document
--
CREATE INDEX CONCURRENTLY "documents_owner_idx" ON "documents" ("owner_id");
