SELECT p.oid::int8 AS object_oid, pg_get_functiondef(p.oid) AS definition
FROM pg_proc p
WHERE p.oid = ANY (%(oids)s::int8[]::oid[])
