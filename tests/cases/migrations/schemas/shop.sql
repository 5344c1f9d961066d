-- A web shop. Small here, big in production.
CREATE TABLE customers (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    email text NOT NULL,
    name text,
    country char(2),
    created_at timestamptz NOT NULL DEFAULT now()
);
CREATE TABLE products (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    sku varchar(40) NOT NULL,
    title text NOT NULL,
    price numeric(12, 2) NOT NULL,
    stock int NOT NULL DEFAULT 0
);
CREATE TABLE orders (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    customer_id bigint NOT NULL,
    status varchar(20) NOT NULL DEFAULT 'new',
    total numeric(12, 2),
    note varchar(200),
    placed_at timestamptz NOT NULL DEFAULT now(),
    shipped_at timestamptz,
    CONSTRAINT orders_customer_id_fkey FOREIGN KEY (customer_id) REFERENCES customers (id)
);
CREATE INDEX orders_customer_id_idx ON orders (customer_id);
CREATE TABLE order_lines (
    order_id bigint NOT NULL REFERENCES orders (id),
    line_number int NOT NULL,
    product_id bigint NOT NULL,
    quantity int NOT NULL,
    price numeric(12, 2) NOT NULL,
    PRIMARY KEY (order_id, line_number)
);
CREATE TABLE payments (
    id serial PRIMARY KEY,
    order_id bigint NOT NULL,
    amount numeric(12, 2) NOT NULL,
    provider text NOT NULL DEFAULT 'card',
    reference text,
    paid_at timestamptz
);
CREATE TABLE coupons (code text PRIMARY KEY, percent int NOT NULL, ends_at timestamptz);
CREATE MATERIALIZED VIEW daily_sales AS
    SELECT placed_at::date AS day, count(*) AS orders, sum(total) AS total FROM orders GROUP BY 1;
CREATE UNIQUE INDEX daily_sales_day_idx ON daily_sales (day);
CREATE VIEW open_orders AS SELECT id, customer_id, total FROM orders WHERE shipped_at IS NULL;
CREATE TYPE payment_state AS ENUM ('open', 'paid');
CREATE FUNCTION touch() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NEW; END $$;

INSERT INTO customers (email, name, country)
    SELECT 'c' || i || '@example.org', 'Customer ' || i, 'NL' FROM generate_series(1, 200) i;
INSERT INTO products (sku, title, price) SELECT 'SKU-' || i, 'Product ' || i, i FROM generate_series(1, 50) i;
INSERT INTO orders (customer_id, total) SELECT 1 + i % 200, i FROM generate_series(1, 500) i;
INSERT INTO order_lines SELECT 1 + i % 500, i, 1 + i % 50, 1, 9.5 FROM generate_series(1, 900) i;
INSERT INTO payments (order_id, amount, reference) SELECT 1 + i % 500, 5, 'ref-' || i FROM generate_series(1, 300) i;
INSERT INTO coupons VALUES ('WELCOME', 10, now() + interval '30 days');
