SELECT c.oid::int8 AS relation_oid, pg_get_expr(c.relpartbound, c.oid) AS partition_bound
FROM pg_class c
WHERE c.relispartition AND c.oid = ANY (%(oids)s::int8[]::oid[])
