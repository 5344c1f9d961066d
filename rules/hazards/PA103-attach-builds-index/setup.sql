CREATE TABLE orders_late (LIKE orders);
INSERT INTO orders_late SELECT i, date '2028-01-01' + i, i, 'n' FROM generate_series(0, 299) i;
ALTER TABLE orders_late ADD CONSTRAINT orders_late_created CHECK (created >= '2028-01-01' AND created < '2029-01-01');
