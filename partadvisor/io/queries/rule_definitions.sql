SELECT r.oid::int8 AS object_oid, pg_get_ruledef(r.oid) AS definition
FROM pg_rewrite r
WHERE r.oid = ANY (%(oids)s::int8[]::oid[])
