-- the indexes of 2025 and 2026 are never attached: orders_note stays invalid, and ON CONFLICT or a foreign key cannot use it
SET lock_timeout = '2s';
CREATE INDEX orders_note ON ONLY orders (note);
SET lock_timeout = 0;
CREATE INDEX CONCURRENTLY orders_2024_note ON orders_2024 (note);
SET lock_timeout = '2s';
ALTER INDEX orders_note ATTACH PARTITION orders_2024_note;
