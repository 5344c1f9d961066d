BEGIN;
SET LOCAL lock_timeout = '2s';
SET LOCAL statement_timeout = '15min';
ALTER TABLE users ALTER COLUMN settings TYPE jsonb USING settings::jsonb;
COMMENT ON COLUMN users.settings IS 'jsonb since 5.0';
COMMIT;
