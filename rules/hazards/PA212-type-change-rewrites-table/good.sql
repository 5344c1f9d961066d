SET lock_timeout = '2s';
ALTER TABLE orders ALTER COLUMN note TYPE varchar(500);
ALTER TABLE orders ALTER COLUMN status TYPE varchar;
ALTER TABLE orders ALTER COLUMN total TYPE numeric(14, 2);
