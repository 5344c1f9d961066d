-- what the server itself knows to depend on a table: views, rules of other relations, functions, owned sequences
SELECT DISTINCT d.refobjid::int8 AS relation_oid,
  CASE v.relkind WHEN 'v' THEN 'view' WHEN 'm' THEN 'materialized_view' ELSE 'rule' END AS kind,
  n.nspname || '.' || v.relname || CASE WHEN v.relkind IN ('v', 'm') THEN '' ELSE '.' || r.rulename END AS name,
  CASE WHEN v.relkind IN ('v', 'm') THEN v.oid ELSE r.oid END::int8 AS object_oid
FROM pg_depend d
JOIN pg_rewrite r ON r.oid = d.objid
JOIN pg_class v ON v.oid = r.ev_class
JOIN pg_namespace n ON n.oid = v.relnamespace
WHERE d.classid = 'pg_rewrite'::regclass AND d.refclassid = 'pg_class'::regclass AND r.ev_class <> d.refobjid
  AND d.refobjid = ANY (%(oids)s::int8[]::oid[])
UNION
SELECT c.oid::int8, 'function', n.nspname || '.' || p.proname, p.oid::int8
FROM pg_depend d
JOIN pg_proc p ON p.oid = d.objid
JOIN pg_namespace n ON n.oid = p.pronamespace
JOIN pg_class c ON (d.refclassid = 'pg_class'::regclass AND c.oid = d.refobjid)
  OR (d.refclassid = 'pg_type'::regclass AND d.refobjid IN (c.reltype, (SELECT t.typarray FROM pg_type t WHERE t.oid = c.reltype)))
WHERE d.classid = 'pg_proc'::regclass AND p.prokind IN ('f', 'p') AND c.oid = ANY (%(oids)s::int8[]::oid[])
UNION
SELECT d.refobjid::int8, 'sequence', n.nspname || '.' || s.relname, s.oid::int8
FROM pg_depend d
JOIN pg_class s ON s.oid = d.objid AND s.relkind = 'S'
JOIN pg_namespace n ON n.oid = s.relnamespace
WHERE d.classid = 'pg_class'::regclass AND d.refclassid = 'pg_class'::regclass AND d.deptype IN ('a', 'i')
  AND d.refobjid = ANY (%(oids)s::int8[]::oid[])
ORDER BY 1, 2, 3
