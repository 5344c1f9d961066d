SET lock_timeout = '2s';
VACUUM FULL payments;
