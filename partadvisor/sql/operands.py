"""Expressions as sides of a comparison: a column, a wrapped column, or a value and when it is known."""

from __future__ import annotations

from dataclasses import dataclass

from partadvisor.model.workload import Operand, OperandKind
from partadvisor.pg.arrays import array_elements as array_literal
from partadvisor.sql.parse import Node
from partadvisor.sql.scope import Computed, Level, Place
from partadvisor.sql.tree import bodies, children, function_name, kind_of, strings, type_name
from partadvisor.sql.volatility import volatility

_INT4 = 2**31
_INT8 = 2**63
_SESSION_VALUES = {
    "SVFOP_CURRENT_DATE": "date",
    "SVFOP_CURRENT_TIME": "time with time zone",
    "SVFOP_CURRENT_TIMESTAMP": "timestamp with time zone",
    "SVFOP_LOCALTIME": "time without time zone",
    "SVFOP_LOCALTIMESTAMP": "timestamp without time zone",
}
_NOW = {"now", "transaction_timestamp", "statement_timestamp"}
_WITH_ZONE = "timestamp with time zone"
_TRANSPARENT = frozenset(
    [
        "A_Expr",
        "CoalesceExpr",
        "MinMaxExpr",
        "CaseExpr",
        "CaseWhen",
        "BoolExpr",
        "NullTest",
        "BooleanTest",
        "A_ArrayExpr",
        "RowExpr",
        "List",
        "A_Indirection",
        "A_Indices",
        "NamedArgExpr",
        "A_Star",
    ]
)
"""Nodes that are immutable themselves: they are known when their parts are."""
# latest known last: an expression is known when the latest of its parts is
_LATENESS: tuple[OperandKind, ...] = (
    "constant",
    "folded",
    "parameter",
    "array_parameter",
    "stable",
    "subquery",
    "column",
    "volatile",
)


@dataclass(frozen=True, slots=True)
class Side:
    """One side of a comparison.

    ``places`` are the columns of this domain it depends on; ``plain`` when it *is* the one column, ``cast`` when it is
    that column in a cast to this type.
    """

    operand: Operand
    places: tuple[Place, ...] = ()
    plain: bool = False
    cast: str | None = None


def side(level: Level, node: Node) -> Side:
    """Read an expression. Subqueries in it are analysed on the way."""
    kind = kind_of(node)
    body = node.get(kind, {})
    if kind == "ColumnRef":
        return _column(level, body)
    if kind == "A_Const":
        return Side(constant(body))
    if kind == "ParamRef":
        return Side(Operand(kind="parameter", value=f"${body.get('number', 0)}"))
    if kind in {"TypeCast", "CollateClause"}:
        return _cast(level, kind, body)
    if kind == "SubLink":
        return _subquery(level, node, body)
    if kind == "SQLValueFunction":
        return Side(Operand(kind="stable", type=_SESSION_VALUES.get(body.get("op", "").removesuffix("_N"), "name")))
    return _expression(level, kind, body)


def _column(level: Level, body: Node) -> Side:
    fields = strings(body.get("fields"))
    target = level.resolve(fields)
    if target is None:
        return Side(Operand(kind="expression", value=".".join(fields)))
    if isinstance(target, Computed):
        return side(target.level, target.node)
    reference, column = target
    operand = Operand(kind="column", value=f"{reference.alias}.{column}")
    if reference.domain is level.domain:
        return Side(operand, (target,), plain=True)
    return Side(operand)


def constant(body: Node) -> Operand:
    """A literal. A quoted one has no type of its own: it takes the type of what it is compared with."""
    if body.get("isnull"):
        return Operand(kind="constant")
    if "ival" in body:
        return Operand(kind="constant", value=str(body["ival"].get("ival", 0)), type="integer")
    if "fval" in body:
        text = body["fval"].get("fval", "0")
        return Operand(kind="constant", value=text, type=_number_type(text))
    if "boolval" in body:
        value = "true" if body["boolval"].get("boolval") else "false"
        return Operand(kind="constant", value=value, type="boolean")
    if "bsval" in body:
        return Operand(kind="constant", value=body["bsval"].get("bsval", ""), type="bit")
    return Operand(kind="constant", value=body.get("sval", {}).get("sval", ""))


def _number_type(text: str) -> str:
    digits = text.lstrip("+-")
    if not digits.isdecimal():
        return "numeric"
    number = int(text)
    if -_INT4 <= number < _INT4:
        return "integer"
    return "bigint" if -_INT8 <= number < _INT8 else "numeric"


def _cast(level: Level, kind: str, body: Node) -> Side:
    inner = side(level, body.get("arg", {}))
    if inner.places:
        to = body.get("typeName", {})
        return Side(
            inner.operand, inner.places, cast=type_name(to) if inner.plain and to and "typmods" not in to else None
        )
    if kind == "CollateClause":
        one = inner.operand
        return Side(Operand(kind=one.kind, value=one.value, type=one.type, collation=strings(body["collname"])[-1]))
    to = type_name(body.get("typeName", {}))
    return Side(Operand(kind=inner.operand.kind, value=inner.operand.value, type=to))


def _subquery(level: Level, node: Node, body: Node) -> Side:
    visit(level, node)
    if body.get("subLinkType") == "ARRAY_SUBLINK":
        return Side(Operand(kind="expression"))
    return Side(Operand(kind="subquery"))


def visit(level: Level, node: Node) -> None:
    """Analyse the subqueries of an expression, each once, for the tables they read."""
    kind = kind_of(node)
    if kind == "SubLink":
        if id(node[kind]) in level.state.seen:
            return
        level.state.seen.add(id(node[kind]))
        level.state.query(level, node[kind]["subselect"])
        if "testexpr" in node[kind]:
            visit(level, node[kind]["testexpr"])
        return
    body = node.get(kind, {})
    if bodies(body, "SubLink"):
        for child in children(body):
            visit(level, child)


def _expression(level: Level, kind: str, body: Node) -> Side:
    """Anything else: known when its latest part is."""
    parts = [side(level, child) for child in children(body) if kind_of(child) != "String"]
    if kind == "A_Expr" and "lexpr" not in body and (minus := _minus(body, parts[0].operand)) is not None:
        return Side(minus)
    places = tuple(dict.fromkeys(p for part in parts for p in part.places))
    if places:
        return Side(next(p.operand for p in parts if p.places), places)
    kinds: list[OperandKind] = ["folded", *(p.operand.kind for p in parts)]
    kinds += _own_lateness(kind, body, parts)
    if "expression" in kinds:
        return Side(Operand(kind="expression"))
    latest = max(kinds, key=_LATENESS.index)
    return Side(Operand(kind=latest, value=None, type=_result_type(kind, body, parts)))


def _minus(body: Node, operand: Operand) -> Operand | None:
    """A number with a minus before it (``-5::smallint`` is the minus of a cast)."""
    value = operand.value or ""
    if strings(body.get("name")) != ("-",) or operand.kind != "constant" or not value[:1].isdigit():
        return None
    return Operand(kind="constant", value=f"-{value}", type=operand.type)


def _own_lateness(kind: str, body: Node, parts: list[Side]) -> list[OperandKind]:
    if kind == "FuncCall":
        found = volatility(function_name(body))
        return ["folded" if found == "immutable" else found]
    if kind == "A_Expr" and {"interval", _WITH_ZONE} <= {p.operand.type for p in parts}:
        return ["stable"]  # adding days to a timestamptz depends on the session's time zone
    return [] if kind in _TRANSPARENT else ["volatile"]


def _result_type(kind: str, body: Node, parts: list[Side]) -> str | None:
    if kind == "FuncCall" and function_name(body) in _NOW:
        return _WITH_ZONE
    types = {p.operand.type for p in parts}
    if kind == "A_Expr" and _WITH_ZONE in types and types <= {_WITH_ZONE, "interval"}:
        return _WITH_ZONE if "interval" in types else None
    return None


def array_elements(level: Level, node: Node) -> tuple[Operand, ...] | None:
    """Operands of an array for ``= ANY``: its elements, or the one parameter; None when it says nothing usable."""
    kind = kind_of(node)
    body = node.get(kind, {})
    if kind == "A_ArrayExpr":
        found = [side(level, e) for e in body.get("elements", ())]
        return None if any(s.places for s in found) else tuple(s.operand for s in found)
    if kind == "TypeCast":
        element = type_name(body.get("typeName", {})).removesuffix("[]")
        inner = array_elements(level, body.get("arg", {}))
        return None if inner is None else tuple(Operand(kind=o.kind, value=o.value, type=element) for o in inner)
    read = side(level, node)
    operand = read.operand
    if read.places or operand.kind == "expression":
        return None
    if operand.kind == "constant" and operand.value is not None:
        elements = array_literal(operand.value)
        return None if elements is None else tuple(Operand(kind="constant", value=e) for e in elements)
    if operand.kind == "parameter":
        return (Operand(kind="array_parameter", value=operand.value),)
    return (operand,)
