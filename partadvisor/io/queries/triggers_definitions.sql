-- the server locks the relation (ACCESS SHARE) to print some of these
SELECT g.oid::int8 AS object_oid, pg_get_triggerdef(g.oid) AS definition
FROM pg_trigger g
WHERE (NOT g.tgisinternal OR (g.tgparentid <> 0 AND g.tgconstraint = 0))
  AND g.tgrelid = ANY (%(oids)s::int8[]::oid[])
