SET lock_timeout = '2s';
TRUNCATE orders CASCADE;
