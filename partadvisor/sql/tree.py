"""Small readings of libpg_query's trees that several modules need."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from partadvisor.sql.parse import Node

_FORMAT_TYPE = {
    "int2": "smallint",
    "int4": "integer",
    "int8": "bigint",
    "float4": "real",
    "float8": "double precision",
    "bool": "boolean",
    "varchar": "character varying",
    "bpchar": "character",
    "char": '"char"',
    "varbit": "bit varying",
    "timestamp": "timestamp without time zone",
    "timestamptz": "timestamp with time zone",
    "time": "time without time zone",
    "timetz": "time with time zone",
    "decimal": "numeric",
}
"""Names the grammar or users write → what ``format_type`` prints, as in ``Column.base_type``."""


def kind_of(node: Node) -> str:
    """The node's one key, such as ``ColumnRef``."""
    for kind in node:
        return kind
    return ""


def strings(nodes: list[Node] | None) -> tuple[str, ...]:
    """Texts of a list of String nodes, which is how names are kept."""
    return tuple([n["String"].get("sval", "") for n in nodes if "String" in n]) if nodes else ()


def children(body: Any) -> Iterator[Node]:
    """Every tagged node directly inside ``body``, through plain lists and untagged bodies."""
    if isinstance(body, list):
        for item in body:
            yield from children(item)
    elif isinstance(body, dict):
        for key, value in body.items():
            if isinstance(value, (dict, list)):
                if key[0] <= "Z":  # only nodes' tags begin with a capital
                    yield {key: value}
                else:
                    yield from children(value)


def walk(node: Any, *, into_subqueries: bool = True) -> Iterator[Node]:
    """All tagged nodes from ``node`` down, parents first."""
    waiting = [node]
    while waiting:
        body = waiting.pop()
        if isinstance(body, list):
            waiting += reversed(body)
            continue
        for key, value in body.items():
            if not isinstance(value, (dict, list)):
                continue
            if key[0] > "Z":
                waiting.append(value)
            else:
                yield {key: value}
                if into_subqueries or key not in ("SubLink", "SelectStmt"):
                    waiting.append(value)


_LEAVES = frozenset(["ColumnRef", "A_Const", "ParamRef", "String", "TypeName", "A_Star", "Alias"])
_SUBQUERIES = frozenset(["SubLink", "SelectStmt"])


def bodies(node: Any, kind: str, *, into_subqueries: bool = True) -> list[Node]:
    """Bodies of all nodes of one kind from ``node`` down, in no order; faster than ``walk``, but blind for leaves."""
    found: list[Node] = []
    skipped = _LEAVES if into_subqueries else _LEAVES | _SUBQUERIES
    waiting = [node]
    while waiting:
        body = waiting.pop()
        if body.__class__ is list:
            waiting += body
            continue
        for key, value in body.items():
            made = value.__class__
            if (made is dict or made is list) and key not in skipped:
                if key == kind:
                    found.append(value)
                waiting.append(value)
    return found


def calls(node: Any, *, into_subqueries: bool = True) -> list[Node]:
    """Bodies of all function calls from ``node`` down, in no order."""
    return bodies(node, "FuncCall", into_subqueries=into_subqueries)


def canonical(node: Any) -> Any:
    """The node without positions: equal for equal expressions."""
    if isinstance(node, dict):
        return tuple((k, canonical(v)) for k, v in sorted(node.items()) if not k.endswith("location"))
    if isinstance(node, list):
        return tuple(canonical(v) for v in node)
    return node


def type_name(body: Node) -> str:
    """A TypeName as ``format_type`` prints it, without modifiers; an array ends in ``[]``."""
    names = strings(body.get("names"))
    short = names[-1] if names else ""
    known = names[0] == "pg_catalog" or len(names) == 1 if names else False
    text = _FORMAT_TYPE.get(short, short) if known else ".".join(names)
    if short == "char" and names[:1] == ("pg_catalog",):
        text = '"char"'
    return text + ("[]" if body.get("arrayBounds") else "")


def function_name(body: Node) -> str:
    """The function's own name, lower case as written, without its schema."""
    names = strings(body.get("funcname"))
    return names[-1] if names else ""
