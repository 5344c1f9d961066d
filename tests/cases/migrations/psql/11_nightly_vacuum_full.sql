SET lock_timeout = '10s';
VACUUM FULL payments;
ANALYZE payments;
