-- by list, over a column that may be null; and a table to attach
CREATE TABLE stock (id bigint NOT NULL, region text, amount int) PARTITION BY LIST (region);
CREATE TABLE stock_eu PARTITION OF stock FOR VALUES IN ('eu');
CREATE TABLE stock_us (LIKE stock);
INSERT INTO stock SELECT i, 'eu', i FROM generate_series(1, 300) i;
INSERT INTO stock_us SELECT i, 'us', i FROM generate_series(1, 300) i;
