SELECT c.oid::int8 AS oid, n.nspname::text AS schema, c.relname::text AS name,
  CASE c.relkind WHEN 'r' THEN 'table' WHEN 'p' THEN 'partitioned_table' WHEN 'f' THEN 'foreign_table'
    WHEN 'v' THEN 'view' ELSE 'materialized_view' END AS kind,
  pg_get_userbyid(c.relowner)::text AS owner,
  CASE c.relpersistence WHEN 'u' THEN 'unlogged' WHEN 't' THEN 'temporary' ELSE 'permanent' END AS persistence,
  c.reltuples::text::float8 AS rows, -- 14+
  CASE WHEN c.reltuples = 0 AND c.relpages = 0 THEN -1 ELSE c.reltuples::text::float8 END AS rows, -- <14
  c.relpages AS pages,
  c.relallvisible AS all_visible_pages,
  c.reltoastrelid::int8 AS toast_oid,
  c.relrowsecurity AS row_security, c.relforcerowsecurity AS force_row_security,
  CASE c.relreplident WHEN 'n' THEN 'nothing' WHEN 'f' THEN 'full' WHEN 'i' THEN 'index' ELSE 'default' END
    AS replica_identity,
  coalesce(c.relacl::text[], '{}') AS grants,
  coalesce(c.reloptions, '{}') AS options,
  coalesce(t.reloptions, '{}') AS toast_options,
  s.spcname::text AS tablespace,
  m.amname::text AS access_method,
  CASE WHEN c.reloftype <> 0 THEN format_type(c.reloftype, NULL) END AS of_type,
  obj_description(c.oid, 'pg_class') AS comment,
  (SELECT e.extname::text FROM pg_depend d JOIN pg_extension e ON e.oid = d.refobjid
   WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.objsubid = 0
     AND d.refclassid = 'pg_extension'::regclass AND d.deptype = 'e' LIMIT 1) AS extension,
  c.relispartition AS is_partition
FROM pg_class c
JOIN pg_namespace n ON n.oid = c.relnamespace
LEFT JOIN pg_class t ON t.oid = c.reltoastrelid
LEFT JOIN pg_tablespace s ON s.oid = c.reltablespace
LEFT JOIN pg_am m ON m.oid = c.relam
WHERE c.relkind IN ('r', 'p', 'f', 'v', 'm') AND c.relpersistence <> 't'
  AND c.relnamespace = ANY (%(schemas)s::int8[]::oid[])
ORDER BY n.nspname, c.relname
