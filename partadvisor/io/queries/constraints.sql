SELECT k.oid::int8 AS object_oid, k.conrelid::int8 AS relation_oid, k.confrelid::int8 AS referenced_oid, k.conname::text AS name,
  CASE k.contype WHEN 'p' THEN 'primary_key' WHEN 'u' THEN 'unique' WHEN 'f' THEN 'foreign_key' WHEN 'c' THEN 'check'
    WHEN 'x' THEN 'exclusion' WHEN 'n' THEN 'not_null' ELSE 'trigger' END AS kind,
  ARRAY(SELECT a.attname::text FROM unnest(k.conkey) WITH ORDINALITY AS u(n, o)
        JOIN pg_attribute a ON a.attrelid = k.conrelid AND a.attnum = u.n ORDER BY u.o) AS columns,
  n.nspname || '.' || c.relname AS table,
  CASE WHEN k.contype = 'f' THEN fn.nspname || '.' || f.relname END AS references,
  ARRAY(SELECT a.attname::text FROM unnest(k.confkey) WITH ORDINALITY AS u(n, o)
        JOIN pg_attribute a ON a.attrelid = k.confrelid AND a.attnum = u.n ORDER BY u.o) AS referenced_columns,
  CASE k.confdeltype WHEN 'a' THEN 'NO ACTION' WHEN 'r' THEN 'RESTRICT' WHEN 'c' THEN 'CASCADE'
    WHEN 'n' THEN 'SET NULL' WHEN 'd' THEN 'SET DEFAULT' ELSE '' END AS on_delete,
  CASE k.confupdtype WHEN 'a' THEN 'NO ACTION' WHEN 'r' THEN 'RESTRICT' WHEN 'c' THEN 'CASCADE'
    WHEN 'n' THEN 'SET NULL' WHEN 'd' THEN 'SET DEFAULT' ELSE '' END AS on_update,
  i.relname::text AS index,
  k.convalidated AS validated, k.condeferrable AS deferrable,
  (k.conparentid <> 0 OR k.coninhcount > 0) AS inherited,
  k.connoinherit AS no_inherit,
  obj_description(k.oid, 'pg_constraint') AS comment
FROM pg_constraint k
JOIN pg_class c ON c.oid = k.conrelid
JOIN pg_namespace n ON n.oid = c.relnamespace
LEFT JOIN pg_class f ON f.oid = k.confrelid
LEFT JOIN pg_namespace fn ON fn.oid = f.relnamespace
LEFT JOIN pg_class i ON i.oid = k.conindid
WHERE k.conrelid = ANY (%(oids)s::int8[]::oid[]) OR (k.contype = 'f' AND k.confrelid = ANY (%(oids)s::int8[]::oid[]))
ORDER BY k.conrelid, k.conname
