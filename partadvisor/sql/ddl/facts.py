"""One statement's text → its facts. The only entry of this package."""

from __future__ import annotations

from partadvisor.model import ddl
from partadvisor.model.ddl_parts import Name, Span
from partadvisor.sql.ddl.alter import alter_table
from partadvisor.sql.ddl.newer import newer
from partadvisor.sql.ddl.others import OTHERS
from partadvisor.sql.ddl.queries import copy, explain, functions, query, relations
from partadvisor.sql.ddl.source import Source
from partadvisor.sql.ddl.tables import create_table
from partadvisor.sql.parse import Node, Unparsed, parse
from partadvisor.sql.tree import kind_of

_QUERIES = ("SelectStmt", "InsertStmt", "UpdateStmt", "DeleteStmt", "MergeStmt")
_READING = (*_QUERIES, "CreateTableAsStmt", "ViewStmt", "CopyStmt", "DeclareCursorStmt", "ExplainStmt", "PrepareStmt")


def facts_of(text: str, start: int = 0, fixed: Span | None = None) -> ddl.Facts | Unparsed:
    """What a statement does. ``start`` is its character offset in the file; ``fixed`` the place of a text not in it."""
    source = Source(text, start, fixed)
    tree = parse(text)
    if isinstance(tree, Unparsed):
        action = newer(source)
        return tree if action is None else ddl.Facts(text=text, span=source.whole, actions=(action,))
    if len(tree) != 1:
        return Unparsed("no statement" if not tree else f"{len(tree)} statements in one text")
    node = tree[0]
    kind = kind_of(node)
    actions = tuple(_actions(source, kind, node))
    reads = _reads(source, node, actions) if kind in _READING else ()
    return ddl.Facts(text=text, span=source.whole, actions=actions, reads=reads, functions=tuple(functions(node)))


def _actions(source: Source, kind: str, node: Node) -> list[ddl.Action]:
    body = node[kind]
    if kind in _QUERIES:
        return query(source, node)
    if kind in ("CreateStmt", "CreateForeignTableStmt"):
        return [create_table(source, body)]
    if kind == "AlterTableStmt":
        return alter_table(source, body)
    if kind == "CopyStmt":
        return copy(source, body)
    if kind == "ExplainStmt":
        return explain(source, body)
    reader = OTHERS.get(kind)
    return reader(source, body) if reader is not None else [ddl.Other(span=source.whole, kind=kind)]


def _reads(source: Source, node: Node, actions: tuple[ddl.Action, ...]) -> tuple[Name, ...]:
    """Relations that are named and not what the statement writes or makes."""
    named = [getattr(a, field, None) for a in actions for field in ("table", "name")]
    written = {n.span for n in named if isinstance(n, Name)}
    return tuple(n for n in relations(source, node) if n.span not in written)
