-- since 17 a partition has the identity of its parent; a table with its own is refused
SET lock_timeout = '2s';
ALTER TABLE bill ATTACH PARTITION bill_2025 FOR VALUES FROM ('2025-01-01') TO ('2026-01-01');
