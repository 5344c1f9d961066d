SELECT r.prrelid::int8 AS relation_oid, p.pubname::text AS name, p.pubviaroot AS via_partition_root,
  false AS all_tables, true AS explicit,
  pg_get_expr(r.prqual, r.prrelid) AS row_filter, -- 15+
  ARRAY(SELECT a.attname::text FROM unnest(r.prattrs::int2[]) AS u(n) -- 15+
        JOIN pg_attribute a ON a.attrelid = r.prrelid AND a.attnum = u.n ORDER BY u.n) AS columns -- 15+
  NULL AS row_filter, '{}'::text[] AS columns -- <15
FROM pg_publication_rel r JOIN pg_publication p ON p.oid = r.prpubid
WHERE r.prrelid = ANY (%(oids)s::int8[]::oid[])
UNION ALL
SELECT c.oid::int8, p.pubname::text, p.pubviaroot, true, false, NULL, '{}'::text[]
FROM pg_publication p, pg_class c
WHERE p.puballtables AND c.relkind IN ('r', 'p') AND c.relpersistence = 'p' AND c.oid = ANY (%(oids)s::int8[]::oid[])
UNION ALL -- 15+
SELECT c.oid::int8, p.pubname::text, p.pubviaroot, false, false, NULL, '{}'::text[] -- 15+
FROM pg_publication_namespace s -- 15+
JOIN pg_publication p ON p.oid = s.pnpubid JOIN pg_class c ON c.relnamespace = s.pnnspid -- 15+
WHERE c.relkind IN ('r', 'p') AND c.relpersistence = 'p' AND c.oid = ANY (%(oids)s::int8[]::oid[]) -- 15+
ORDER BY 1, 2
