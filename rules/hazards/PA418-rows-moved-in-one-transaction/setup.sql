CREATE TABLE bin (id bigint PRIMARY KEY, at date NOT NULL, pad text DEFAULT repeat('x', 200));
INSERT INTO bin SELECT i, date '2026-01-01' + i FROM generate_series(0, 3999) i;
ANALYZE bin;
CREATE TABLE bin_old (LIKE bin);
