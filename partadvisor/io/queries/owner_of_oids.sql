-- any relation by OID, folded to the table it stores data for
SELECT c.oid::int8 AS oid, n.nspname || '.' || c.relname AS relation,
  coalesce(bn.nspname || '.' || b.relname, n.nspname || '.' || c.relname) AS table,
  CASE WHEN t.oid IS NOT NULL THEN 'toast' WHEN i.indexrelid IS NOT NULL THEN 'index' ELSE 'heap' END AS via
FROM pg_class c
JOIN pg_namespace n ON n.oid = c.relnamespace
LEFT JOIN pg_index i ON i.indexrelid = c.oid
LEFT JOIN pg_class t ON t.reltoastrelid = coalesce(i.indrelid, c.oid) AND t.reltoastrelid <> 0
LEFT JOIN pg_class b ON b.oid = coalesce(t.oid, i.indrelid)
LEFT JOIN pg_namespace bn ON bn.oid = b.relnamespace
WHERE c.relkind IN ('r', 'i', 't', 'm')
  AND (c.oid = ANY (%(oids)s::int8[]::oid[]) OR (%(all)s AND (n.nspname !~ '^pg_' OR n.nspname = 'pg_toast')))
