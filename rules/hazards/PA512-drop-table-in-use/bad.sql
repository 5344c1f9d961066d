SET lock_timeout = '2s';
DROP TABLE payments;
