SELECT d.refobjid::int8 AS relation_oid, d.refobjsubid::int AS number, n.nspname || '.' || s.relname AS sequence
FROM pg_depend d
JOIN pg_class s ON s.oid = d.objid AND s.relkind = 'S'
JOIN pg_namespace n ON n.oid = s.relnamespace
WHERE d.classid = 'pg_class'::regclass AND d.refclassid = 'pg_class'::regclass AND d.deptype IN ('a', 'i')
  AND d.refobjsubid > 0 AND d.refobjid = ANY (%(oids)s::int8[]::oid[])
ORDER BY s.oid
