SET lock_timeout = '2s';
ALTER TABLE payments ALTER COLUMN id TYPE bigint;
