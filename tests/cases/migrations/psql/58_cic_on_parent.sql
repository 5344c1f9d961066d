CREATE INDEX CONCURRENTLY events_kind_idx ON events (kind);
