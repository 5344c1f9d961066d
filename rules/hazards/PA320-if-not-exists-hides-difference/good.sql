CREATE TABLE IF NOT EXISTS jobs (id bigint PRIMARY KEY, payload text);
SET lock_timeout = '2s';
ALTER TABLE jobs ADD COLUMN retries int NOT NULL DEFAULT 0;
