CREATE TABLE orders (id bigint NOT NULL, placed_at timestamptz) PARTITION BY RANGE (placed_at);
CREATE TABLE orders_2025 (id bigint NOT NULL, placed_at timestamptz);
INSERT INTO orders_2025 SELECT g, timestamptz '2025-01-01' + g * interval '1 minute' FROM generate_series(1, 1000) g;
