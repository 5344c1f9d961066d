"""How the relations of a server hang together, read from its catalogs: partitions, indexes, foreign keys, views."""

from collections import defaultdict
from typing import Any

import msgspec
import psycopg

Connection = psycopg.Connection[tuple[Any, ...]]
_RELATIONS = """
SELECT c.oid::int8, n.nspname || '.' || c.relname,
  CASE c.relkind WHEN 'r' THEN 'table' WHEN 'p' THEN 'partitioned_table' WHEN 'f' THEN 'foreign_table'
    WHEN 'v' THEN 'view' WHEN 'm' THEN 'materialized_view' WHEN 'S' THEN 'sequence' WHEN 't' THEN 'toast'
    WHEN 'I' THEN 'partitioned_index' ELSE 'index' END, c.relispartition, c.reltoastrelid::int8,
  i.indrelid::int8
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace LEFT JOIN pg_index i ON i.indexrelid = c.oid
WHERE c.oid >= 16384 AND c.relkind IN ('r', 'p', 'f', 'v', 'm', 'S', 't', 'i', 'I')
"""
# of a foreign key to a partitioned table, the copies that point to its partitions are the server's own affair
_CONNECTIONS = """
SELECT 'inherits', inhparent::int8, inhrelid::int8 FROM pg_inherits
UNION ALL SELECT 'index', indrelid::int8, indexrelid::int8 FROM pg_index WHERE indexrelid >= 16384
UNION ALL SELECT 'sequence', refobjid::int8, objid::int8 FROM pg_depend
  WHERE classid = 'pg_class'::regclass AND refclassid = 'pg_class'::regclass AND deptype IN ('a', 'i')
    AND refobjid >= 16384 AND refobjsubid > 0
UNION ALL SELECT 'referencing', k.confrelid::int8, k.conrelid::int8 FROM pg_constraint k
  WHERE k.contype = 'f'
    AND NOT EXISTS (SELECT FROM pg_constraint a WHERE a.oid = k.conparentid AND a.conrelid = k.conrelid)
UNION ALL SELECT DISTINCT 'view', d.refobjid::int8, w.ev_class::int8 FROM pg_rewrite w JOIN pg_depend d
  ON d.classid = 'pg_rewrite'::regclass AND d.objid = w.oid AND d.refclassid = 'pg_class'::regclass
  WHERE w.oid >= 16384 AND w.ev_class <> d.refobjid
UNION ALL SELECT 'default', partrelid::int8, partdefid::int8 FROM pg_partitioned_table WHERE partdefid <> 0
"""
_OPPOSITE = {
    "index": "table",
    "partitioned index": "table",
    "sequence": "table",
    "referencing": "referenced",
    "view": "base",
    "partition": "parent",
    "partitioned partition": "parent",
    "default partition": "parent",
    "partitioned default partition": "parent",
    "child": "inherited",
    "partition index": "parent index",
    "partitioned partition index": "parent index",
}


class Node(msgspec.Struct, frozen=True):
    """A relation and the relations it is connected to, by kind of connection."""

    oid: int
    name: str
    kind: str
    edges: dict[str, list[str]]


def read_graph(connection: Connection, schema: str) -> dict[str, Node]:
    """The relations of a schema and the TOAST tables that belong to them, by ``schema.name``."""
    rows = {row[0]: row for row in connection.execute(_RELATIONS).fetchall()}
    owner = {row[4]: row[1] for row in rows.values() if row[4]}
    nodes = {row[0]: Node(row[0], _shown(row, owner), row[2], {}) for row in rows.values()}
    for oid, row in rows.items():
        if row[4] in nodes:
            _connect(nodes, oid, "toast", row[4])
    for kind, source, target in _connections(connection, rows):
        if source in nodes and target in nodes:
            _connect(nodes, source, kind, target)
            if kind in _OPPOSITE:
                _connect(nodes, target, _OPPOSITE[kind], source)
    named = {node.name: node for node in nodes.values()}
    return _reachable(named, [name for name in named if name.startswith(f"{schema}.")])


def _shown(row: tuple[Any, ...], owner: dict[int, str]) -> str:
    """TOAST tables are named after their table: the server's name has its OID, which no two runs share."""
    oid, name, kind, _, _, indexed = row
    if kind == "toast":
        return f"{owner.get(oid, name)}.toast"
    return f"{owner[indexed]}.toast.index" if indexed in owner else str(name)


def _connect(nodes: dict[int, Node], source: int, edge: str, target: int) -> None:
    nodes[source].edges.setdefault(edge, []).append(nodes[target].name)


def _connections(connection: Connection, rows: dict[int, Any]) -> list[tuple[str, int, int]]:
    raw: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for kind, source, target in connection.execute(_CONNECTIONS).fetchall():
        raw[kind].append((source, target))
    defaults = set(raw.pop("default", ()))
    inherits = raw.pop("inherits", [])
    found = [(_index(kind, rows.get(pair[1])), *pair) for kind, pairs in raw.items() for pair in pairs]
    for parent, child in inherits:
        if parent in rows and child in rows:
            found.append((_heir(rows[child], (parent, child) in defaults), parent, child))
    return sorted(set(found))


def _index(kind: str, target: tuple[Any, ...] | None) -> str:
    return "partitioned index" if kind == "index" and target and target[2] == "partitioned_index" else kind


def _heir(child: tuple[Any, ...], is_default: bool) -> str:
    if "index" in child[2]:
        return "partition index" if child[2] == "index" else "partitioned partition index"
    if not child[3]:
        return "child"
    kind = "default partition" if is_default else "partition"
    return f"partitioned {kind}" if child[2] == "partitioned_table" else kind


def _reachable(nodes: dict[str, Node], todo: list[str]) -> dict[str, Node]:
    found: dict[str, Node] = {}
    while todo:
        name = todo.pop()
        if name not in found:
            found[name] = nodes[name]
            todo += [target for targets in nodes[name].edges.values() for target in targets]
    return found
