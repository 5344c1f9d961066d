SET lock_timeout = '2s';
ALTER TABLE orders ALTER COLUMN note TYPE varchar(500);
ALTER TABLE products ALTER COLUMN sku TYPE text;
ALTER TABLE products ALTER COLUMN price TYPE numeric(14, 2);
