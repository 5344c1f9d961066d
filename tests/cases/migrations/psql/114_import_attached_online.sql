-- everything that ATTACH would check or build is done before, and blocks nobody
SET lock_timeout = '2s';
ALTER TABLE imported_2026_12 ADD CONSTRAINT december
    CHECK (happened_at >= '2026-12-01 00:00+00' AND happened_at < '2027-01-01 00:00+00') NOT VALID;
ALTER TABLE imported_2026_12 ADD CONSTRAINT imported_site
    FOREIGN KEY (site_id) REFERENCES sites (id) NOT VALID;
ALTER TABLE imported_2026_12 VALIDATE CONSTRAINT december;
ALTER TABLE imported_2026_12 VALIDATE CONSTRAINT imported_site;
SET lock_timeout = 0;
CREATE INDEX CONCURRENTLY imported_2026_12_site_idx ON imported_2026_12 (site_id, happened_at);
SET lock_timeout = '500ms';
ALTER TABLE events ATTACH PARTITION imported_2026_12
    FOR VALUES FROM ('2026-12-01 00:00+00') TO ('2027-01-01 00:00+00');
ALTER TABLE imported_2026_12 DROP CONSTRAINT december;
