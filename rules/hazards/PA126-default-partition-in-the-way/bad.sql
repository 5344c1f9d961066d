-- rows of 2027 go to the DEFAULT partition, and then 2027 cannot be added
SET lock_timeout = '2s';
CREATE TABLE orders_rest (LIKE orders INCLUDING ALL);
ALTER TABLE orders ATTACH PARTITION orders_rest DEFAULT;
