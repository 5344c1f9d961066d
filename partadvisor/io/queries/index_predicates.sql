SELECT i.indexrelid::int8 AS index_oid, pg_get_expr(i.indpred, i.indrelid) AS predicate
FROM pg_index i
WHERE i.indpred IS NOT NULL AND i.indrelid = ANY (%(oids)s::int8[]::oid[])
