SET lock_timeout = '2s';
ALTER TABLE readings_2026_01 SET (fillfactor = 90);
