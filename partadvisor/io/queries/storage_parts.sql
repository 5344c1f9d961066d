-- the relations that hold a table's data: heap, indexes, TOAST heap and TOAST index
SELECT c.oid::int8 AS table_oid, c.oid::int8 AS oid, 'heap' AS via, c.relpages::int8 AS pages
FROM pg_class c WHERE c.relkind IN ('r', 'm') AND c.oid = ANY (%(oids)s::int8[]::oid[])
UNION ALL
SELECT i.indrelid::int8, i.indexrelid::int8, 'index', c.relpages::int8
FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid AND c.relkind = 'i'
WHERE i.indrelid = ANY (%(oids)s::int8[]::oid[])
UNION ALL
SELECT c.oid::int8, t.oid::int8, 'toast', t.relpages::int8
FROM pg_class c JOIN pg_class t ON t.oid = c.reltoastrelid WHERE c.oid = ANY (%(oids)s::int8[]::oid[])
UNION ALL
SELECT c.oid::int8, i.indexrelid::int8, 'toast', x.relpages::int8
FROM pg_class c JOIN pg_index i ON i.indrelid = c.reltoastrelid JOIN pg_class x ON x.oid = i.indexrelid
WHERE c.oid = ANY (%(oids)s::int8[]::oid[])
