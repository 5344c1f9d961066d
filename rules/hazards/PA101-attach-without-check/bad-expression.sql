-- true for the same rows, but the server does not see that it follows
SET lock_timeout = '2s';
ALTER TABLE orders_2025 ADD CONSTRAINT orders_2025_bounds
  CHECK (placed_at IS NOT NULL AND extract(year FROM placed_at AT TIME ZONE 'UTC') = 2025) NOT VALID;
ALTER TABLE orders_2025 VALIDATE CONSTRAINT orders_2025_bounds;
ALTER TABLE orders ATTACH PARTITION orders_2025 FOR VALUES FROM ('2025-01-01 00:00+00') TO ('2026-01-01 00:00+00');
