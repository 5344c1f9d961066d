SELECT k.partrelid::int8 AS object_oid, k.partrelid::int8 AS relation_oid,
  CASE k.partstrat WHEN 'h' THEN 'hash' WHEN 'r' THEN 'range' ELSE 'list' END AS strategy,
  ARRAY(SELECT a.attname::text FROM unnest(k.partattrs::int2[]) WITH ORDINALITY AS u(n, o)
        LEFT JOIN pg_attribute a ON a.attrelid = k.partrelid AND a.attnum = u.n AND u.n <> 0 ORDER BY u.o) AS columns
FROM pg_partitioned_table k
WHERE k.partrelid = ANY (%(oids)s::int8[]::oid[])
