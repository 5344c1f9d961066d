SET lock_timeout = '2s';
ALTER SEQUENCE tickets_id_seq RESTART WITH 5000;
