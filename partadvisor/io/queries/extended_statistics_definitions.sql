-- the server locks the relation (ACCESS SHARE) to print some of these
SELECT x.oid::int8 AS object_oid, pg_get_statisticsobjdef(x.oid) AS definition
FROM pg_statistic_ext x
WHERE x.stxrelid = ANY (%(oids)s::int8[]::oid[])
