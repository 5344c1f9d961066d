-- the temporary table comes first in the search path
CREATE TEMP TABLE orders AS SELECT 1 AS id;
CREATE INDEX ON orders (id);
ALTER TABLE orders ADD COLUMN checked_at timestamptz DEFAULT clock_timestamp();
DROP TABLE orders;
