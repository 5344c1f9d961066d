SELECT r.oid::int8 AS object_oid, r.ev_class::int8 AS relation_oid, 'rule' AS kind, r.rulename::text AS name
FROM pg_rewrite r
WHERE r.rulename <> '_RETURN' AND r.ev_class = ANY (%(oids)s::int8[]::oid[])
ORDER BY r.ev_class, r.rulename
