-- user schemas; names that begin with pg_ are the server's own
SELECT n.oid::int8 AS oid, n.nspname::text AS name
FROM pg_namespace n
WHERE n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'
ORDER BY n.nspname
