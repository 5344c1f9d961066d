-- pg_stats shows the columns we may select only. No privilege on a table that was dropped is NULL, which is not false.
SELECT count(*)::int AS tables, min(format('%%I.%%I', n.nspname, c.relname)) AS example
FROM pg_class c
JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE c.oid = ANY (%(oids)s::int8[]::oid[]) AND c.relkind IN ('r', 'p', 'm')
  AND NOT has_any_column_privilege(c.oid, 'SELECT')
