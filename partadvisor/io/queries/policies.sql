SELECT p.polrelid::int8 AS relation_oid, p.polname::text AS name, p.polpermissive AS permissive,
  ARRAY(SELECT CASE WHEN r = 0 THEN 'public' ELSE pg_get_userbyid(r)::text END FROM unnest(p.polroles) AS r) AS roles,
  CASE p.polcmd WHEN 'r' THEN 'SELECT' WHEN 'a' THEN 'INSERT' WHEN 'w' THEN 'UPDATE' WHEN 'd' THEN 'DELETE'
    ELSE 'ALL' END AS command,
  pg_get_expr(p.polqual, p.polrelid) AS using, pg_get_expr(p.polwithcheck, p.polrelid) AS check,
  obj_description(p.oid, 'pg_policy') AS comment
FROM pg_policy p
WHERE p.polrelid = ANY (%(oids)s::int8[]::oid[])
ORDER BY p.polrelid, p.polname
