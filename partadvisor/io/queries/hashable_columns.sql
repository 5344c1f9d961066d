-- columns that could be a partition key: the type has a default hash operator class, and we may read them
WITH RECURSIVE base(type, base) AS (
  SELECT t.oid, t.oid FROM pg_type t WHERE t.typtype <> 'd'
  UNION ALL
  SELECT d.oid, b.base FROM base b JOIN pg_type d ON d.typtype = 'd' AND d.typbasetype = b.type
)
SELECT a.attrelid::int8 AS relation_oid, a.attname::text AS name,
  has_column_privilege(a.attrelid, a.attnum, 'SELECT') AS readable,
  (t.typlen > 0 OR t.typcategory IN ('N', 'I') OR a.atttypmod BETWEEN 5 AND 68) AS narrow
FROM pg_attribute a
JOIN base b ON b.type = a.atttypid
JOIN pg_type t ON t.oid = b.base
WHERE a.attnum > 0 AND NOT a.attisdropped AND a.attrelid = ANY (%(oids)s::int8[]::oid[])
  AND EXISTS (SELECT FROM pg_opclass o JOIN pg_am m ON m.oid = o.opcmethod
    WHERE m.amname = 'hash' AND o.opcdefault AND o.opcintype = CASE WHEN t.typtype = 'e' THEN 'anyenum'::regtype::oid
      WHEN b.base = 'varchar'::regtype THEN 'text'::regtype::oid ELSE b.base END)
ORDER BY a.attrelid, a.attnum
