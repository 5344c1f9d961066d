-- an empty index on the parent, one built concurrently on each partition, and the link between them
SET lock_timeout = '2s';
CREATE INDEX orders_note ON ONLY orders (note);
SET lock_timeout = 0;
CREATE INDEX CONCURRENTLY orders_2024_note ON orders_2024 (note);
CREATE INDEX CONCURRENTLY orders_2025_note ON orders_2025 (note);
CREATE INDEX CONCURRENTLY orders_2026_note ON orders_2026 (note);
SET lock_timeout = '2s';
ALTER INDEX orders_note ATTACH PARTITION orders_2024_note;
ALTER INDEX orders_note ATTACH PARTITION orders_2025_note;
ALTER INDEX orders_note ATTACH PARTITION orders_2026_note;
