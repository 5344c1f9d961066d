SET lock_timeout = '2s';
CREATE TABLE alerts_asia (LIKE alerts_by_region INCLUDING ALL);
ALTER TABLE alerts_by_region ATTACH PARTITION alerts_asia FOR VALUES IN ('ap', 'us');
