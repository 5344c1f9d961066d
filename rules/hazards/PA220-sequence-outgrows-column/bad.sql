SET lock_timeout = '2s';
ALTER SEQUENCE tickets_id_seq AS bigint RESTART WITH 2147483648;
