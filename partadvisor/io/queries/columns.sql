-- a domain may be over another domain
WITH RECURSIVE base(type, base) AS (
  SELECT t.oid, t.oid FROM pg_type t WHERE t.typtype <> 'd'
  UNION ALL
  SELECT d.oid, b.base FROM base b JOIN pg_type d ON d.typtype = 'd' AND d.typbasetype = b.type
)
SELECT a.attrelid::int8 AS relation_oid, a.attname::text AS name, a.attnum::int AS number,
  format_type(a.atttypid, a.atttypmod) AS type, format_type(b.base, NULL) AS base_type,
  a.attnotnull AS not_null,
  CASE a.attidentity WHEN 'a' THEN 'always' WHEN 'd' THEN 'by_default' ELSE '' END AS identity,
  CASE a.attgenerated WHEN 's' THEN 'stored' WHEN 'v' THEN 'virtual' ELSE '' END AS generated,
  CASE WHEN a.attcollation <> t.typcollation AND a.attcollation <> 0 THEN a.attcollation::regcollation::text END
    AS collation,
  coalesce(l.collisdeterministic, true) AS collation_deterministic,
  a.attstorage::text AS storage, t.typstorage::text AS type_storage,
  a.attcompression::text AS compression, -- 14+
  '' AS compression, -- <14
  nullif(a.attstattarget, -1)::int AS statistics_target,
  coalesce(a.attoptions, '{}') AS options, coalesce(a.attacl::text[], '{}') AS grants,
  col_description(a.attrelid, a.attnum) AS comment
FROM pg_attribute a
JOIN pg_type t ON t.oid = a.atttypid
JOIN base b ON b.type = a.atttypid
LEFT JOIN pg_collation l ON l.oid = a.attcollation
WHERE a.attnum > 0 AND NOT a.attisdropped AND a.attrelid = ANY (%(oids)s::int8[]::oid[])
ORDER BY a.attrelid, a.attnum
