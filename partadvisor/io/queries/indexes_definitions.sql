-- the server locks the relation (ACCESS SHARE) to print some of these
SELECT i.indexrelid::int8 AS object_oid, pg_get_indexdef(i.indexrelid) AS definition,
  pg_get_expr(i.indpred, i.indrelid) AS predicate
FROM pg_index i
WHERE i.indrelid = ANY (%(oids)s::int8[]::oid[])
