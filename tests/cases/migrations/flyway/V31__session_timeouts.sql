SET lock_timeout = '2s';
ALTER TABLE products ADD COLUMN discontinued boolean NOT NULL DEFAULT false;
