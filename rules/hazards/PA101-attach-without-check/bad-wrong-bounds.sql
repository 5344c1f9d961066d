-- the CHECK allows a day more than the bounds do
SET lock_timeout = '2s';
ALTER TABLE orders_2025 ADD CONSTRAINT orders_2025_bounds
  CHECK (placed_at IS NOT NULL AND placed_at >= '2025-01-01' AND placed_at < '2026-01-02') NOT VALID;
ALTER TABLE orders_2025 VALIDATE CONSTRAINT orders_2025_bounds;
ALTER TABLE orders ATTACH PARTITION orders_2025 FOR VALUES FROM ('2025-01-01') TO ('2026-01-01');
