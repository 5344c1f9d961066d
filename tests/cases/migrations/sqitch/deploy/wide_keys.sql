-- Deploy saas:wide_keys to pg

BEGIN;

SET LOCAL lock_timeout = '2s';
ALTER TABLE users ADD COLUMN email_domain text GENERATED ALWAYS AS (split_part(email, '@', 2)) STORED;
ALTER TABLE invitations ADD COLUMN ref bigserial;

COMMIT;
