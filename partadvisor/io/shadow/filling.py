"""Gives the empty tables the sizes and statistics of the snapshot."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import psycopg

from partadvisor.io.connect import Connection
from partadvisor.io.shadow.btree import BLOCK
from partadvisor.io.shadow.files import extend, extend_btree
from partadvisor.io.stats_file import index_bytes, row_bytes
from partadvisor.model.catalog import Column, ColumnStatistics, Index, Relation

_TABLES = """SELECT n.nspname::text, c.relname::text, pg_relation_filepath(c.oid), c.relkind::text, c.oid::int8
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'p') AND n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'"""

_INDEXES = """SELECT i.indrelid::int8, n.nspname::text, c.relname::text, pg_relation_filepath(c.oid), m.amname::text,
  coalesce(r.relname, c.relname)::text, i.indisunique,
  ARRAY(SELECT a.attname::text FROM unnest(i.indkey::int2[]) WITH ORDINALITY AS u(n, o)
        LEFT JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = u.n AND u.n <> 0
        WHERE u.o <= i.indnkeyatts ORDER BY u.o)
FROM pg_index i
JOIN pg_class c ON c.oid = i.indexrelid AND c.relkind = 'i'
JOIN pg_namespace n ON n.oid = c.relnamespace
JOIN pg_am m ON m.oid = c.relam
LEFT JOIN pg_class r ON r.oid = pg_partition_root(c.oid)
WHERE n.nspname !~ '^pg_'"""

_RELATION = """SELECT count(*) FILTER (WHERE NOT pg_restore_relation_stats('schemaname', s.schema, 'relname', s.name,
  'relpages', s.pages, 'reltuples', s.rows::real, 'relallvisible', s.visible))
FROM jsonb_to_recordset(%s::jsonb) AS s(schema text, name text, pages int, rows float8, visible int)"""

_COLUMN = """SELECT s.schema || '.' || s.name || '.' || s.attribute
FROM jsonb_to_recordset(%s::jsonb) AS s(schema text, name text, attribute text, inherited bool, null_frac float8,
  avg_width int, n_distinct float8, common text, shares jsonb, histogram text, correlation float8)
WHERE NOT pg_restore_attribute_stats('schemaname', s.schema, 'relname', s.name, 'attname', s.attribute,
  'inherited', s.inherited, 'null_frac', s.null_frac::real, 'avg_width', s.avg_width,
  'n_distinct', s.n_distinct::real, 'most_common_vals', s.common,
  'most_common_freqs', CASE WHEN s.shares IS NOT NULL THEN ARRAY(SELECT v::text::real
    FROM jsonb_array_elements(s.shares) WITH ORDINALITY AS e(v, o) ORDER BY o) END,
  'histogram_bounds', s.histogram, 'correlation', s.correlation::real)"""

_BATCH = 5000
_UNSEEN_VISIBLE = 1.0
"""Share of all-visible pages where the snapshot does not tell: vacuumed tables are the rule."""


@dataclass(frozen=True, slots=True)
class _IndexPlace:
    schema: str
    name: str
    path: str
    method: str
    root: str
    unique: bool
    columns: list[str | None]


def fill(connection: Connection, data_dir: Path, relations: Iterable[Relation]) -> list[str]:
    """Extends files and restores statistics; each relation stands for the table of its schema and name.

    Returns:
        names of the columns whose statistics the server did not take.
    """
    filled = list(relations)
    tables = {(s, n): (path, kind, oid) for s, n, path, kind, oid in connection.execute(_TABLES).fetchall()}
    indexes: dict[int, list[_IndexPlace]] = {}
    for table, *rest in connection.execute(_INDEXES).fetchall():
        indexes.setdefault(table, []).append(_IndexPlace(*rest))
    sizes: list[dict[str, Any]] = []
    for relation in filled:
        path, kind, oid = tables.get((relation.schema, relation.name), (None, "", 0))
        if kind == "r" and path is not None:
            extend(data_dir / path, pages_of(relation))
            sizes += _index_sizes(relation, indexes.get(oid, []), data_dir)
        if kind:
            sizes.append(_size(relation, is_partitioned=kind == "p"))
    _batches(connection, _RELATION, [s for s in sizes if s["rows"] is not None])
    kinds = {name: kind for name, (_, kind, _) in tables.items()}
    rows = [row for relation in filled for row in _column_rows(relation, kinds.get((relation.schema, relation.name)))]
    return [name for (name,) in _batches(connection, _COLUMN, rows)]


def _batches(connection: Connection, query: str, rows: Sequence[dict[str, Any]]) -> list[tuple[Any, ...]]:
    found: list[tuple[Any, ...]] = []
    for start in range(0, len(rows), _BATCH):
        batch = rows[start : start + _BATCH]
        try:
            found += connection.execute(query, [msgspec.json.encode(batch).decode()]).fetchall()
        except psycopg.DataError:
            if len(batch) == 1:
                found.append((".".join(str(batch[0].get(part, "")) for part in ("schema", "name", "attribute")),))
                continue
            found += [one for row in batch for one in _batches(connection, query, [row])]
    return found


def pages_of(relation: Relation) -> int:
    """Blocks of the heap: the measured size, else what the rows need."""
    pages = relation.heap_bytes // BLOCK or relation.pages
    return int(pages or max(0.0, relation.rows) * row_bytes(relation) / BLOCK)


def index_pages(relation: Relation, index: Index) -> int:
    """Blocks of an index: the measured size, else what its keys need."""
    return -(-(index.size_bytes or index_bytes(relation, index, max(0.0, relation.rows))) // BLOCK)


def _size(relation: Relation, *, is_partitioned: bool) -> dict[str, Any]:
    pages = pages_of(relation)
    known = relation.pages or pages
    visible = _UNSEEN_VISIBLE if relation.all_visible_pages is None else relation.all_visible_pages / max(1, known)
    rows = None if relation.rows < 0 else relation.rows
    return {
        "schema": relation.schema,
        "name": relation.name,
        "pages": -1 if is_partitioned else known,
        "rows": rows,
        "visible": 0 if is_partitioned else round(min(1.0, visible) * known),
    }


def _index_sizes(relation: Relation, places: Sequence[_IndexPlace], data_dir: Path) -> Iterator[dict[str, Any]]:
    named = {index.name: index for index in relation.indexes}
    for place in places:
        index = named.get(place.name) or named.get(place.root) or _alike(place, relation)
        if index is None:
            continue
        pages = index_pages(relation, index)
        if place.method == "btree" and pages > 1:
            extend_btree(data_dir / place.path, pages, key_bytes(relation, index))
        else:
            extend(data_dir / place.path, pages)
        rows = relation.rows if index.rows is None or index.rows < 0 else index.rows
        yield {
            "schema": place.schema,
            "name": place.name,
            "pages": pages,
            "rows": None if rows < 0 else rows,
            "visible": 0,
        }


def _alike(place: _IndexPlace, relation: Relation) -> Index | None:
    """A partition's index came with its parent's and may have another name here."""
    wanted = (place.method, place.unique, place.columns)
    return next((i for i in relation.indexes if (i.method, i.unique, list(i.columns)) == wanted), None)


def key_bytes(relation: Relation, index: Index) -> float:
    """Width of the key columns."""
    widths = (
        c.statistics.avg_width if c and c.statistics else 8 for c in map(relation.column, filter(None, index.columns))
    )
    return float(sum(widths) or 8)


def _column_rows(relation: Relation, kind: str | None) -> Iterator[dict[str, Any]]:
    if kind is None:
        return
    for column in relation.columns:
        if column.statistics is not None:
            yield _column_row(relation, column, column.statistics, inherited=kind == "p")
            if relation.has_inheritance_children and kind == "r":
                yield _column_row(relation, column, column.statistics, inherited=True)


def _column_row(relation: Relation, column: Column, statistics: ColumnStatistics, *, inherited: bool) -> dict[str, Any]:
    shown = not statistics.values_hashed
    common = statistics.most_common if shown else ()
    histogram = statistics.histogram if shown and len(statistics.histogram) > 1 else ()
    return {
        "schema": relation.schema,
        "name": relation.name,
        "attribute": column.name,
        "inherited": inherited,
        "null_frac": statistics.null_fraction,
        "avg_width": statistics.avg_width,
        "n_distinct": statistics.n_distinct,
        "common": array_literal([v for v, _ in common]) if common else None,
        "shares": [share for _, share in common] if common else None,
        "histogram": array_literal(histogram) if histogram else None,
        "correlation": statistics.correlation,
    }


def array_literal(values: Sequence[str]) -> str:
    """The values as the text of a one-dimensional array."""
    quoted = ('"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"' for value in values)
    return "{" + ",".join(quoted) + "}"
