-- by range, nothing hangs on it; and a table to attach that lacks nothing but a CHECK
CREATE TABLE orders (id bigint NOT NULL, created date NOT NULL, customer_id int, note text, PRIMARY KEY (id, created))
  PARTITION BY RANGE (created);
CREATE INDEX orders_customer_id ON orders (customer_id);
CREATE TABLE orders_2024 PARTITION OF orders FOR VALUES FROM ('2024-01-01') TO ('2025-01-01');
CREATE TABLE orders_2025 PARTITION OF orders FOR VALUES FROM ('2025-01-01') TO ('2026-01-01');
CREATE TABLE orders_2026 PARTITION OF orders FOR VALUES FROM ('2026-01-01') TO ('2027-01-01');
INSERT INTO orders SELECT i, date '2024-01-01' + i, i % 50, 'n' FROM generate_series(0, 1000) i;
CREATE TABLE orders_2027 (LIKE orders INCLUDING ALL);
INSERT INTO orders_2027 SELECT i, date '2027-01-01' + i, i % 50, 'n' FROM generate_series(0, 299) i;
