SET lock_timeout = '2s';
-- partadvisor: ignore PA101 because writers are stopped during the release
ALTER TABLE orders ATTACH PARTITION orders_2025 FOR VALUES FROM ('2025-01-01') TO ('2026-01-01');
