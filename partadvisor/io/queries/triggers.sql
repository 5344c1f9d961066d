-- before 15 the copies of a row trigger on partitions are marked internal
SELECT g.oid::int8 AS object_oid, g.tgrelid::int8 AS relation_oid, g.tgname::text AS name,
  g.tgenabled::text AS enabled,
  CASE WHEN g.tgtype & 64 <> 0 THEN 'instead' WHEN g.tgtype & 2 <> 0 THEN 'before' ELSE 'after' END AS timing,
  g.tgtype & 1 <> 0 AS row,
  (g.tgoldtable IS NOT NULL OR g.tgnewtable IS NOT NULL) AS transition_tables,
  g.tgconstraint <> 0 AS constraint,
  g.tgparentid <> 0 AS inherited,
  obj_description(g.oid, 'pg_trigger') AS comment
FROM pg_trigger g
WHERE (NOT g.tgisinternal OR (g.tgparentid <> 0 AND g.tgconstraint = 0))
  AND g.tgrelid = ANY (%(oids)s::int8[]::oid[])
ORDER BY g.tgrelid, g.tgname
