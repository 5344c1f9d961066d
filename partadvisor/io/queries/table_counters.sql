-- the functions behind pg_stat_user_tables, without its sums over indexes
SELECT c.oid::int8 AS oid, n.nspname || '.' || c.relname AS table, pg_stat_get_tuples_inserted(c.oid) AS inserted,
  pg_stat_get_tuples_updated(c.oid) AS updated, pg_stat_get_tuples_hot_updated(c.oid) AS hot_updated,
  pg_stat_get_tuples_deleted(c.oid) AS deleted
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind = 'r' AND c.relpersistence <> 't' AND c.relnamespace = ANY (%(schemas)s::int8[]::oid[])
