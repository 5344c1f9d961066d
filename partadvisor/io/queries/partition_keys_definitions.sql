-- the server locks the relation (ACCESS SHARE) to print some of these
SELECT k.partrelid::int8 AS object_oid, pg_get_partkeydef(k.partrelid) AS definition
FROM pg_partitioned_table k
WHERE k.partrelid = ANY (%(oids)s::int8[]::oid[])
