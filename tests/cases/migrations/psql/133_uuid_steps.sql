SET lock_timeout = '2s';
ALTER TABLE documents ADD COLUMN public_id uuid;
ALTER TABLE documents ALTER COLUMN public_id SET DEFAULT gen_random_uuid();
RESET lock_timeout;
CREATE UNIQUE INDEX CONCURRENTLY documents_public_id_key ON documents (public_id);
SET lock_timeout = '2s';
ALTER TABLE documents ADD CONSTRAINT documents_public_id_key UNIQUE USING INDEX documents_public_id_key;
