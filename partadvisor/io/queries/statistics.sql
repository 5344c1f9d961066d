-- pg_stats shows only columns we may select; the values are printed as the column's type prints them.
-- Comparing names is leakproof, so that these conditions get below the view's checks of privileges.
SELECT c.oid::int8 AS relation_oid, s.attname::text AS column_name, s.inherited,
  s.null_frac::text::float8 AS null_fraction, s.n_distinct::text::float8 AS n_distinct, s.avg_width,
  s.correlation::text::float8 AS correlation,
  CASE WHEN t.typdelim = ',' THEN s.most_common_vals::text::text[] END AS common_values,
  s.most_common_freqs::text[]::float8[] AS common_shares,
  CASE WHEN t.typdelim = ',' THEN s.histogram_bounds::text::text[] END AS histogram
FROM pg_stats s
JOIN pg_namespace n ON n.nspname = s.schemaname
JOIN pg_class c ON c.relnamespace = n.oid AND c.relname = s.tablename
JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = s.attname AND a.attnum > 0
JOIN pg_type t ON t.oid = a.atttypid
WHERE s.schemaname <> 'pg_catalog' AND s.schemaname <> 'information_schema' AND c.oid = ANY (%(oids)s::int8[]::oid[])
