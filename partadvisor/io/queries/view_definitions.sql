-- locks every relation of the view (ACCESS SHARE) until the end of the transaction
SELECT v.oid::int8 AS object_oid, pg_get_viewdef(v.oid) AS definition
FROM unnest(%(oids)s::int8[]) AS u(oid)
JOIN pg_class v ON v.oid = u.oid::oid
