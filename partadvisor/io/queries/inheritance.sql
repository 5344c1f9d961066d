SELECT i.inhrelid::int8 AS child, i.inhparent::int8 AS parent, pn.nspname || '.' || p.relname AS parent_name,
  c.relispartition AS is_partition,
  i.inhdetachpending AS detach_pending -- 14+
  false AS detach_pending -- <14
FROM pg_inherits i
JOIN pg_class c ON c.oid = i.inhrelid
JOIN pg_class p ON p.oid = i.inhparent
JOIN pg_namespace pn ON pn.oid = p.relnamespace
WHERE c.relkind IN ('r', 'p', 'f')
  AND (i.inhrelid = ANY (%(oids)s::int8[]::oid[]) OR i.inhparent = ANY (%(oids)s::int8[]::oid[]))
ORDER BY i.inhrelid, i.inhseqno
