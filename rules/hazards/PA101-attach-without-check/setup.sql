CREATE TABLE orders (id bigint NOT NULL, placed_at timestamptz) PARTITION BY RANGE (placed_at);
CREATE TABLE orders_2025 (id bigint NOT NULL, placed_at timestamptz);
INSERT INTO orders_2025 SELECT g, timestamptz '2025-01-01' + g * interval '1 minute' FROM generate_series(1, 1000) g;
CREATE TABLE stock (id bigint NOT NULL, region text) PARTITION BY LIST (region);
CREATE TABLE stock_us (id bigint NOT NULL, region text);
INSERT INTO stock_us SELECT g, 'us' FROM generate_series(1, 1000) g;
CREATE TABLE basket (id bigint NOT NULL) PARTITION BY HASH (id);
CREATE TABLE basket_1 (id bigint NOT NULL);
INSERT INTO basket_1 SELECT g FROM generate_series(1::bigint, 2000) g WHERE satisfies_hash_partition('basket'::regclass, 2, 1, g);
