CREATE STATISTICS events_site_kind (dependencies) ON site_id, kind FROM events;
ANALYZE events;
ALTER TABLE events ALTER COLUMN kind SET STATISTICS 500;
