SET lock_timeout = '2s';
CREATE INDEX events_kind_idx ON events (kind);
