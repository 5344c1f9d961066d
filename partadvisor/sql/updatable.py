"""Writes through views: a simple view over one table is written as that table, under the view's column names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

from partadvisor.model.workload import Role
from partadvisor.sql.conditions import condition
from partadvisor.sql.domains import Conjunct
from partadvisor.sql.names import SchemaNames
from partadvisor.sql.parse import Node, Unparsed, parse_one
from partadvisor.sql.scope import Level, Reference, Source
from partadvisor.sql.sources import alias_of
from partadvisor.sql.targets import is_simple
from partadvisor.sql.tree import strings

_DEEPEST = 20


@dataclass(frozen=True, slots=True)
class _Filter:
    """A view's WHERE, with its text, and what its one FROM item is called and has: column → the table's column."""

    text: bytes
    node: Node
    alias: str
    item: str
    columns: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class _Behind:
    """The table behind a view, the view's columns → the table's, and the conditions on the way."""

    table: str
    columns: Mapping[str, str]
    filters: tuple[_Filter, ...]


def add_view_target(level: Level, body: Node, role: str) -> Reference | None:
    """The table behind the view that ``body`` names as the target of a write; None when it names no such view.

    UPDATE, DELETE and MERGE see only the view's rows, so its WHERE holds for the table as well.
    """
    names = level.state.names
    view = names.resolve(body.get("schemaname"), body["relname"])
    behind = _behind(names, view)
    if behind is None:
        return None
    alias = alias_of(body)[0]
    reference = level.add(Reference(alias=alias or body["relname"], domain=level.domain, table=behind.table))
    reference.columns, reference.role = names.columns(behind.table), cast("Role", role)
    reference.renamed = behind.columns
    name, table = alias or body["relname"], None if alias else view
    level.sources.append(Source(name, table, targets={v: (reference, c) for v, c in behind.columns.items()}))
    for one in behind.filters if role != "insert" else ():
        inner = Level(level.state, level.domain, text=one.text)
        inner.sources = [Source(one.alias, one.item, targets={v: (reference, c) for v, c in one.columns.items()})]
        level.domain.conjuncts.append(Conjunct(condition(inner, one.node)))
    return reference


def _behind(names: SchemaNames, view: str, depth: int = 0) -> _Behind | None:
    """Follows a view to its table; None for one that PostgreSQL does not write through by itself."""
    if view in names.redirected:
        return None
    text = names.views.get(view, "").strip().rstrip(";")
    tree = parse_one(text) if text and depth < _DEEPEST else Unparsed("no view")
    if isinstance(tree, Unparsed):
        return None
    body = tree.get("ViewStmt", {}).get("query", tree).get("SelectStmt", {})
    items = body.get("fromClause", [])
    if len(items) != 1 or "RangeVar" not in items[0] or not is_simple(body):
        return None
    item = items[0]["RangeVar"]
    name = names.resolve(item.get("schemaname"), item["relname"])
    further = _behind(names, name, depth + 1)
    if further is None:
        if name in names.views:
            return None
        further = _Behind(name, {c: c for c in names.columns(name) or ()}, ())
    filters = further.filters
    if "whereClause" in body:
        alias = alias_of(item)[0] or item["relname"]
        filters = (*filters, _Filter(text.encode(), body["whereClause"], alias, name, further.columns))
    return _Behind(further.table, _columns(body, further.columns), filters)


def _columns(body: Node, below: Mapping[str, str]) -> dict[str, str]:
    """Columns that are plain ones of the item; others cannot be written."""
    found: dict[str, str] = {}
    for target in body.get("targetList", ()):
        fields = target["ResTarget"].get("val", {}).get("ColumnRef", {}).get("fields", [])
        if fields and "A_Star" in fields[-1]:
            found |= below
        elif fields and (column := strings(fields)[-1]) in below:
            found[target["ResTarget"].get("name", column)] = below[column]
    return found
