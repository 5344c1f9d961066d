SET lock_timeout = '2s';
ALTER TABLE customers RENAME TO clients;
