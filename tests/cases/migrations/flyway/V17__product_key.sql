SET LOCAL lock_timeout = '2s';
ALTER TABLE products ADD COLUMN public_id uuid NOT NULL DEFAULT gen_random_uuid();
