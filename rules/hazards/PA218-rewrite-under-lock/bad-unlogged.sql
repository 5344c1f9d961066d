SET lock_timeout = '2s';
ALTER TABLE orders SET UNLOGGED;
