-- main fork only; NULL for a relation that was dropped meanwhile
SELECT u.oid, pg_relation_size(u.oid::oid::regclass) AS bytes
FROM unnest(%(oids)s::int8[]) AS u(oid)
