CREATE TABLE IF NOT EXISTS jobs (id bigint PRIMARY KEY, payload text, retries int NOT NULL DEFAULT 0);
