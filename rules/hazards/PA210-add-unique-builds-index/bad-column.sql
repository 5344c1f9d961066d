SET lock_timeout = '2s';
ALTER TABLE customers ADD COLUMN public_id uuid UNIQUE;
