CREATE TABLE orders_rest (LIKE orders INCLUDING ALL);
INSERT INTO orders_rest SELECT i, date '2030-01-01' + i, i % 50, 'n' FROM generate_series(0, 299) i;
