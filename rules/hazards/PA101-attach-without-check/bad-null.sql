-- the column may be NULL, and the CHECK does not say that it is not
SET lock_timeout = '2s';
ALTER TABLE orders_2025 ADD CONSTRAINT orders_2025_bounds
  CHECK (placed_at >= '2025-01-01' AND placed_at < '2026-01-01') NOT VALID;
ALTER TABLE orders_2025 VALIDATE CONSTRAINT orders_2025_bounds;
ALTER TABLE orders ATTACH PARTITION orders_2025 FOR VALUES FROM ('2025-01-01') TO ('2026-01-01');
