SET LOCAL lock_timeout = '2s';
ALTER TABLE products ADD COLUMN slug text NOT NULL;
