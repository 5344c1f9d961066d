-- migrate:up
DROP TABLE feature_flags;

-- migrate:down
CREATE TABLE feature_flags (name text PRIMARY KEY, enabled boolean NOT NULL DEFAULT false);
