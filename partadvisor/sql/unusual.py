"""What a statement asks of the table itself rather than of its rows: ONLY, COPY of a table, DDL that applications run.

Access patterns say which rows are read and written; these are the requests that a partitioned table answers
differently whatever its key is. Read from the tree, and only for texts with a word that can begin one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Literal, NamedTuple

from partadvisor.sql.names import SchemaNames
from partadvisor.sql.parse import Node, Unparsed, parse_one
from partadvisor.sql.tree import kind_of, strings, walk

UnusualKind = Literal[
    "only",
    "truncate_only",
    "copy_out",
    "copy_freeze",
    "index_concurrently",
    "cluster",
    "storage_parameters",
    "tableoid",
]

_SIGNS = re.compile(r"\b(?:only|copy|cluster|concurrently|tableoid)\b|\balter\s+table\b", re.IGNORECASE)
_REFERENTIAL = "OPERATOR(pg_catalog."  # the server's own foreign-key queries, which it adapts itself


class Unusual(NamedTuple):
    """A request and the table it goes to, as ``schema.name``."""

    kind: UnusualKind
    table: str


def may_be_unusual(text: str) -> bool:
    """Whether the text has a word that can begin an unusual request."""
    return _SIGNS.search(text) is not None and _REFERENTIAL not in text


def unusual(text: str, schema: SchemaNames) -> tuple[Unusual, ...]:
    """The unusual requests of one statement, each once; none for a text that cannot be read."""
    if not may_be_unusual(text):
        return ()
    tree = parse_one(text)
    if isinstance(tree, Unparsed):
        return ()
    kind = kind_of(tree)
    found = _of_utility(kind, tree[kind]) if kind in _UTILITIES else _of_query(tree)
    return tuple(dict.fromkeys(Unusual(what, _resolved(relation, schema)) for what, relation in found))


_Found = Iterator[tuple[UnusualKind, Node]]


def _resolved(relation: Node, schema: SchemaNames) -> str:
    return schema.resolve(relation.get("schemaname"), relation["relname"])


def _copy(body: Node) -> _Found:
    if "query" in body:
        yield from _of_query(body["query"])
    elif not body.get("is_from"):
        yield "copy_out", body["relation"]
    elif any(_is_on(o["DefElem"]) for o in body.get("options", ()) if o["DefElem"]["defname"] == "freeze"):
        yield "copy_freeze", body["relation"]


def _is_on(option: Node) -> bool:
    """An option given without a value is on."""
    value: Any = option.get("arg")
    if value is None:
        return True
    word = value.get("String", {}).get("sval", "")
    return bool(value.get("Boolean", {}).get("boolval")) or word.lower() in {"true", "on", "1"}


def _index(body: Node) -> _Found:
    if body.get("concurrent"):
        yield "index_concurrently", body["relation"]


def _cluster(body: Node) -> _Found:
    if "relation" in body:
        yield "cluster", body["relation"]


def _alter(body: Node) -> _Found:
    kinds = {c["AlterTableCmd"].get("subtype") for c in body.get("cmds", ())}
    if body.get("objtype") == "OBJECT_TABLE" and "AT_SetRelOptions" in kinds:
        yield "storage_parameters", body["relation"]


def _truncate(body: Node) -> _Found:
    for relation in body.get("relations", ()):
        if not relation["RangeVar"].get("inh"):
            yield "truncate_only", relation["RangeVar"]


_UTILITIES = {
    "CopyStmt": _copy,
    "IndexStmt": _index,
    "ClusterStmt": _cluster,
    "AlterTableStmt": _alter,
    "TruncateStmt": _truncate,
}


def _of_utility(kind: str, body: Node) -> _Found:
    yield from _UTILITIES[kind](body)


def _of_query(tree: Node) -> _Found:
    """FROM ONLY and the like, and every table of a query that reads ``tableoid``."""
    relations = [*_relations(tree)]
    for relation in relations:
        if not relation.get("inh"):
            yield "only", relation
    fields = {strings(n["ColumnRef"].get("fields")) for n in walk(tree) if "ColumnRef" in n}
    read = [f for f in fields if f[-1:] == ("tableoid",)]
    for relation in relations:
        names = {relation["relname"], relation.get("alias", {}).get("aliasname")}
        if any(len(f) == 1 or f[-2] in names for f in read):
            yield "tableoid", relation


def _relations(tree: Node) -> Iterator[Node]:
    """Every table name of a query; targets of INSERT, UPDATE, DELETE and MERGE stand in a field of their own."""
    for node in walk(tree):
        kind = kind_of(node)
        if kind == "RangeVar":
            yield node[kind]
        elif kind in {"UpdateStmt", "DeleteStmt", "InsertStmt", "MergeStmt"}:
            yield node[kind]["relation"]
