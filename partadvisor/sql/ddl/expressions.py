"""Expressions as facts: literals, the comparisons of a CHECK, the volatility of a default."""

from __future__ import annotations

from typing import Literal

from partadvisor.model.ddl_parts import CheckExpression, Comparison
from partadvisor.sql.parse import Node
from partadvisor.sql.tree import canonical, function_name, kind_of, strings, walk
from partadvisor.sql.volatility import is_own, volatility

_FLIPPED = {"=": "=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}


class NotLiteral(ValueError):
    """The expression is not one value."""


def literal(node: Node) -> str | None:
    """A constant without quotes and casts; None is NULL.

    Raises:
        NotLiteral: it is anything else.
    """
    kind = kind_of(node)
    body = node.get(kind, {})
    if kind == "TypeCast":
        return literal(body.get("arg", {}))
    if kind == "A_Const":
        return _constant(body)
    if kind == "A_Expr" and "lexpr" not in body and strings(body.get("name")) == ("-",):
        return f"-{literal(body['rexpr'])}"
    raise NotLiteral(kind)


def _constant(body: Node) -> str | None:
    if body.get("isnull"):
        return None
    if "sval" in body:
        return str(body["sval"].get("sval", ""))
    if "ival" in body:
        return str(body["ival"].get("ival", 0))
    if "fval" in body:
        return str(body["fval"].get("fval", "0"))
    if "boolval" in body:
        return "true" if body["boolval"].get("boolval") else "false"
    raise NotLiteral("A_Const")


def column_name(node: Node) -> str | None:
    """The column of a plain reference, perhaps cast; None for anything else."""
    kind = kind_of(node)
    if kind == "TypeCast":
        return column_name(node[kind].get("arg", {}))
    names = strings(node[kind].get("fields")) if kind == "ColumnRef" else ()
    return names[-1] if names else None


def check_expression(node: Node, text: str) -> CheckExpression:
    """The ANDed comparisons of a condition, and the arms if it is an OR."""
    parts: list[Comparison] = []
    complete = all(_add(part, parts) for part in _conjuncts(node))
    return CheckExpression(text=text, parts=tuple(parts), complete=complete, alternatives=_alternatives(node))


def _alternatives(node: Node) -> tuple[tuple[Comparison, ...], ...]:
    body = node.get("BoolExpr", {})
    if body.get("boolop") != "OR_EXPR":
        return ()
    arms: list[tuple[Comparison, ...]] = []
    for arm in body["args"]:
        parts: list[Comparison] = []
        if not all(_add(part, parts) for part in _conjuncts(arm)):
            return ()
        arms.append(tuple(parts))
    return tuple(arms)


def _conjuncts(node: Node) -> list[Node]:
    body = node.get("BoolExpr")
    if body is not None and body.get("boolop") == "AND_EXPR":
        return [part for arg in body["args"] for part in _conjuncts(arg)]
    return [node]


def _add(node: Node, parts: list[Comparison]) -> bool:
    """Add what one conjunct says; false when it is not understood."""
    kind = kind_of(node)
    body = node.get(kind, {})
    if kind == "NullTest":
        column = column_name(body.get("arg", {}))
        if column is None:
            return False
        negated = body.get("nulltesttype") == "IS_NOT_NULL"
        parts.append(Comparison(column=column, operator="is not null" if negated else "is null"))
        return True
    if kind == "FuncCall":
        return _add_call(body, parts)
    if kind != "A_Expr":
        return False
    try:
        return _add_operator(body, parts)
    except NotLiteral:
        return False


def _add_call(body: Node, parts: list[Comparison]) -> bool:
    columns = [c for c in (column_name(a) for a in body.get("args", ())) if c]
    values = []
    for argument in body.get("args", ()):
        try:
            values.append(literal(argument))
        except NotLiteral:
            values.append(column_name(argument) or "")
    name = function_name(body)
    parts.append(Comparison(column=columns[0] if columns else "", operator="call", function=name, values=tuple(values)))
    return True


def _add_operator(body: Node, parts: list[Comparison]) -> bool:
    kind, operator = body.get("kind"), (strings(body.get("name")) or ("",))[-1]
    left, right = body.get("lexpr", {}), body.get("rexpr", {})
    column = column_name(left)
    if kind == "AEXPR_OP" and operator in _FLIPPED:
        if column is None:
            column, right, operator = column_name(right), left, _FLIPPED[operator]
        if column is None:
            return False
        parts.append(Comparison(column=column, operator=operator, values=(literal(right),)))  # type: ignore[arg-type]
        return True
    if column is not None and kind == "AEXPR_OP" and operator == "<>":
        parts.append(Comparison(column=column, operator="not in", values=(literal(right),)))
        return True
    items = _items(right)
    if column is None or items is None:
        return False
    values = tuple(literal(i) for i in items)
    if (kind == "AEXPR_IN" and operator == "<>") or (kind == "AEXPR_OP_ALL" and operator == "<>"):
        parts.append(Comparison(column=column, operator="not in", values=values))
        return True
    if (kind == "AEXPR_IN" and operator == "=") or (kind == "AEXPR_OP_ANY" and operator == "="):
        parts.append(Comparison(column=column, operator="in", values=values))
        return True
    if kind == "AEXPR_BETWEEN" and len(values) == 2:
        parts.append(Comparison(column=column, operator=">=", values=values[:1]))
        parts.append(Comparison(column=column, operator="<=", values=values[1:]))
        return True
    return False


def _items(node: Node) -> list[Node] | None:
    kind = kind_of(node)
    if kind == "List":
        return list(node[kind].get("items", ()))
    if kind == "TypeCast":
        return _items(node[kind].get("arg", {}))
    return list(node[kind].get("elements", ())) if kind == "A_ArrayExpr" else None


def default_volatility(node: Node) -> Literal["immutable", "stable", "volatile", "unknown"]:
    """The worst of the functions in it; "unknown" beats all but volatile."""
    order = ("immutable", "stable", "unknown", "volatile")
    worst = 0
    for part in walk(node):
        kind = kind_of(part)
        found = "immutable"
        if kind == "SQLValueFunction":
            found = "stable"
        elif kind == "FuncCall":
            found = "unknown" if is_own(part[kind]) else volatility(function_name(part[kind]))
        worst = max(worst, order.index(found))
    return order[worst]  # type: ignore[return-value]


def same(one: Node, other: Node) -> bool:
    """Equal but for positions."""
    return bool(canonical(one) == canonical(other))
