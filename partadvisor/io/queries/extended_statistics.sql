SELECT x.oid::int8 AS object_oid, x.stxrelid::int8 AS relation_oid, n.nspname || '.' || x.stxname AS name,
  nullif(x.stxstattarget, -1)::int AS target,
  obj_description(x.oid, 'pg_statistic_ext') AS comment
FROM pg_statistic_ext x
JOIN pg_namespace n ON n.oid = x.stxnamespace
WHERE x.stxrelid = ANY (%(oids)s::int8[]::oid[])
ORDER BY x.stxrelid, x.stxname
