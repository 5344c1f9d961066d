SET lock_timeout = '2s';
ALTER TABLE orders ALTER COLUMN note TYPE varchar(100);
