SELECT i.indrelid::int8 AS relation_oid, c.oid::int8 AS object_oid, c.oid::int8 AS index_oid, c.relname::text AS name,
  c.relpages::int8 AS pages, c.reltuples::text::float8 AS rows,
  ARRAY(SELECT a.attname::text FROM unnest(i.indkey::int2[]) WITH ORDINALITY AS u(n, o)
        LEFT JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = u.n AND u.n <> 0
        WHERE u.o <= i.indnkeyatts ORDER BY u.o) AS columns,
  ARRAY(SELECT a.attname::text FROM unnest(i.indkey::int2[]) WITH ORDINALITY AS u(n, o)
        JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = u.n
        WHERE u.o > i.indnkeyatts ORDER BY u.o) AS included,
  m.amname::text AS method,
  i.indisunique AS unique, i.indisprimary AS primary, i.indisexclusion AS exclusion,
  i.indisvalid AS valid, i.indimmediate AS immediate,
  i.indnullsnotdistinct AS nulls_not_distinct, -- 15+
  i.indpred IS NOT NULL AS partial,
  i.indisclustered AS clustered, i.indisreplident AS replica_identity,
  k.conname::text AS constraint,
  s.spcname::text AS tablespace,
  obj_description(c.oid, 'pg_class') AS comment
FROM pg_index i
JOIN pg_class c ON c.oid = i.indexrelid
JOIN pg_am m ON m.oid = c.relam
LEFT JOIN pg_tablespace s ON s.oid = c.reltablespace
LEFT JOIN pg_constraint k ON k.conindid = c.oid AND k.conrelid = i.indrelid AND k.contype IN ('p', 'u', 'x')
WHERE i.indrelid = ANY (%(oids)s::int8[]::oid[])
ORDER BY i.indrelid, c.relname
