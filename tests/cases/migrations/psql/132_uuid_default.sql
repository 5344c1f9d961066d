SET lock_timeout = '2s';
ALTER TABLE documents ADD COLUMN public_id uuid DEFAULT gen_random_uuid() UNIQUE;
