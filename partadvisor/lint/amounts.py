"""How many rows a condition lets through, judged by its shape: all, a few, or nobody knows."""

from __future__ import annotations

from partadvisor.sql.parse import Node, Unparsed, parse_one
from partadvisor.sql.tree import kind_of, strings, walk

_LOWER, _UPPER = frozenset((">", ">=")), frozenset(("<", "<="))


def all_rows(where: str | None) -> bool:
    """Whether nothing, or only IS [NOT] NULL, limits a statement: what a backfill in one piece looks like."""
    return where is None or all(kind_of(part) == "NullTest" for part in _conjuncts(where))


def few_rows(where: str | None) -> bool:
    """Whether it names its rows: by equality, a list, a range with two ends, or a subquery with LIMIT."""
    parts = [] if where is None else _conjuncts(where)
    operators = {strings(p["A_Expr"].get("name"))[-1:] for p in parts if kind_of(p) == "A_Expr"}
    bounded = any(o and o[0] in _LOWER for o in operators) and any(o and o[0] in _UPPER for o in operators)
    return bounded or any(_names_rows(part) for part in parts)


def _conjuncts(where: str) -> list[Node]:
    tree = parse_one(f"SELECT 1 WHERE {where}")
    if isinstance(tree, Unparsed):
        return [{"Unread": {}}]
    return _ands(tree.get("SelectStmt", {}).get("whereClause", {}))


def _ands(node: Node) -> list[Node]:
    body = node.get("BoolExpr")
    if body is not None and body.get("boolop") == "AND_EXPR":
        return [part for arg in body["args"] for part in _ands(arg)]
    return [node]


def _names_rows(node: Node) -> bool:
    if any("limitCount" in n["SelectStmt"] for n in walk(node) if kind_of(n) == "SelectStmt"):
        return True
    body = node.get("A_Expr", {})
    operator = strings(body.get("name"))[-1:]
    if body.get("kind") in ("AEXPR_BETWEEN", "AEXPR_IN"):
        return operator in (("=",), ("BETWEEN",))
    sides = {kind_of(body.get(side, {})) for side in ("lexpr", "rexpr")}
    return body.get("kind") == "AEXPR_OP" and operator == ("=",) and sides != {"ColumnRef"}
