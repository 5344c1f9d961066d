SET lock_timeout = '2s';
ALTER TABLE orders ALTER COLUMN total DROP NOT NULL;
