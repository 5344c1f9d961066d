BEGIN;
SET LOCAL lock_timeout = '2s';
ALTER TABLE orders ADD COLUMN gift boolean NOT NULL DEFAULT false;
ALTER TABLE orders ADD COLUMN gift_text text;
