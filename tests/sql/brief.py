"""Access patterns in one line each, so that a test reads like the statement it is about."""

from partadvisor.model.workload import AccessPattern, AllOf, AnyOf, Comparison, Condition, Operand, TableAccess
from partadvisor.sql.access import access_pattern
from partadvisor.sql.names import SchemaNames


def operand(value: Operand) -> str:
    kinds = {"constant": "", "parameter": "", "array_parameter": "array:"}
    text = kinds.get(value.kind, f"{value.kind}:") + ("NULL" if value.value is None else value.value)
    if value.kind in ("folded", "stable", "volatile", "subquery", "expression"):
        text = value.kind
    return text


def condition(of: Condition) -> str:
    match of:
        case AllOf(parts=parts):
            return " and ".join(condition(p) for p in parts)
        case AnyOf(parts=parts):
            return "(" + " or ".join(condition(p) for p in parts) + ")"
        case Comparison():
            column = f"f({of.column})" if of.wrapped else of.column
            return f"{column} {of.operator} {','.join(map(operand, of.operands))}".rstrip()
        case _:
            return f"?{','.join(getattr(of, 'columns', ()))}"


def pattern(text: str, names: SchemaNames) -> AccessPattern:
    found = access_pattern(text, names)
    assert isinstance(found, AccessPattern), (text, found)
    return found


def conditions(text: str, names: SchemaNames) -> list[str]:
    """``alias: condition`` for every table of a statement."""
    return [f"{t.alias}: {condition(t.condition)}".strip() for t in pattern(text, names).tables]


def joins(text: str, names: SchemaNames) -> list[str]:
    return [
        f"{t.alias}.{j.column}{'~' if j.outer else '='}{j.other_alias}.{j.other_column}"
        for t in pattern(text, names).tables
        for j in t.joins
    ]


def first(text: str, names: SchemaNames) -> TableAccess:
    return pattern(text, names).tables[0]


def order(access: TableAccess) -> str:
    """``column desc nulls first, column. limit n grouped``; a full stop when there are no other keys."""
    keys = [f"{k.column}{' desc' * k.descending}{' nulls first' * (k.nulls_first)}" for k in access.order_by]
    limit = "?" if access.limit_rows is None else f"{access.limit_rows:.0f}"
    parts = [
        ", ".join(keys) + "." * access.order_complete,
        f"limit {limit}" * access.limited,
        "grouped" * access.grouped,
    ]
    return " ".join(p for p in parts if p)
