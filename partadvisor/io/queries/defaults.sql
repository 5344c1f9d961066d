-- pg_get_expr locks the relation (ACCESS SHARE) in recent minor versions
SELECT d.adrelid::int8 AS relation_oid, d.adnum::int AS number, pg_get_expr(d.adbin, d.adrelid) AS expression
FROM pg_attrdef d
WHERE d.adrelid = ANY (%(oids)s::int8[]::oid[])
