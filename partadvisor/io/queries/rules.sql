SELECT r.ev_class::int8 AS relation_oid, 'rule' AS kind, r.rulename::text AS name, pg_get_ruledef(r.oid) AS definition
FROM pg_rewrite r
WHERE r.rulename <> '_RETURN' AND r.ev_class = ANY (%(oids)s::int8[]::oid[])
ORDER BY r.ev_class, r.rulename
