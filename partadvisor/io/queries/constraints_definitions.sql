-- the server locks the relation (ACCESS SHARE) to print some of these
SELECT k.oid::int8 AS object_oid, pg_get_constraintdef(k.oid) AS definition
FROM pg_constraint k
WHERE k.conrelid = ANY (%(oids)s::int8[]::oid[]) OR (k.contype = 'f' AND k.confrelid = ANY (%(oids)s::int8[]::oid[]))
