-- plain tables that are written all the time: orders of customers, and their payments
CREATE TABLE customers (id bigint PRIMARY KEY, email text NOT NULL, region text);
INSERT INTO customers SELECT i, 'c' || i || '@example.org', 'eu' FROM generate_series(0, 299) i;
CREATE TABLE orders (id bigint PRIMARY KEY, customer_id bigint, status text, total numeric(12, 2), note varchar(200),
  placed_at timestamptz NOT NULL);
INSERT INTO orders SELECT i, i % 300, 'new', i, 'n', timestamptz '2026-01-01 00:00+00' + i * interval '1 hour'
  FROM generate_series(0, 599) i;
CREATE INDEX orders_placed_at_idx ON orders (placed_at);
CREATE TABLE payments (id int PRIMARY KEY, order_id bigint NOT NULL, amount numeric(12, 2) NOT NULL);
INSERT INTO payments SELECT i, i, 1 FROM generate_series(0, 299) i;
