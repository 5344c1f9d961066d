SET LOCAL lock_timeout = '2s';
ALTER TABLE users ALTER COLUMN active SET DEFAULT true;
ALTER TABLE users ALTER COLUMN settings DROP DEFAULT;
COMMENT ON COLUMN users.settings IS 'Unused since 4.2, to be dropped in 4.4';
