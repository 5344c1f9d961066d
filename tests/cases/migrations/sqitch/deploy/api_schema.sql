-- Deploy saas:api_schema to pg

BEGIN;

CREATE SCHEMA api;
CREATE TABLE api.tokens (
    token uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    user_id bigint NOT NULL,
    expires_at timestamptz NOT NULL
);
CREATE INDEX ON api.tokens (user_id);
ALTER TABLE api.tokens ADD CHECK (expires_at > '2026-01-01');
ALTER TABLE api.tokens ALTER COLUMN user_id TYPE numeric;
ALTER TABLE api.tokens ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON api.tokens USING (true);
CREATE VIEW api.active_users AS SELECT id, email FROM users WHERE active;

COMMIT;
