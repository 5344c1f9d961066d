"""Whether a constraint of the DEFAULT partition says that no row of it belongs to a new partition."""

from __future__ import annotations

from collections.abc import Iterable

from partadvisor.lint.proofs import all_of, any_of, comparable, literal, ordered
from partadvisor.lint.tables import Table
from partadvisor.model.ddl_parts import Bound, CheckExpression, Comparison, PartitionBy
from partadvisor.pg.readable import readable_ident


def excludes_bound(default: Table, key: PartitionBy | None, bound: Bound) -> bool | None:
    """Whether a valid CHECK of ``default`` excludes every row of ``bound``, so that adding it reads nothing.

    None: a CHECK is there that is not understood.
    """
    checks = [c.check for c in default.of_kind("check") if c.check and c.validated and c.enforced]
    column = key.columns[0] if key and len(key.columns) == 1 else None
    unread = any(not c.complete and not c.alternatives for c in checks)
    return any_of([*(_excludes(default, c, column, bound) for c in checks), None if unread else False])


def _excludes(default: Table, check: CheckExpression, column: str | None, bound: Bound) -> bool | None:
    arms = check.alternatives or (check.parts,)
    return all_of(
        _outside([p for p in arm if column in (None, p.column) and comparable(default, p)], bound) for arm in arms
    )


def _outside(parts: list[Comparison], bound: Bound) -> bool | None:
    """Whether no value that satisfies all of the comparisons is inside of the bound."""
    if bound.strategy == "list":
        return all(any(_rules_out(p, value) for p in parts) for value in bound.values)
    if bound.strategy != "range" or len(bound.lower) != 1:
        return False
    return any_of(_outside_range(p, bound.lower[0], bound.upper[0]) for p in parts)


def _outside_range(part: Comparison, low: str, high: str) -> bool | None:
    if part.operator == "is null":
        return True
    if part.operator in ("=", "in"):
        return all_of(any_of((ordered(high, v, equal=True), ordered(v, low, equal=False))) for v in part.values)
    if part.operator in ("<", "<="):
        return ordered(part.values[0], low, equal=part.operator == "<")
    return part.operator in (">", ">=") and ordered(high, part.values[0], equal=True)


def _rules_out(part: Comparison, value: str | None) -> bool:
    """Whether the comparison is not true of the value."""
    if part.operator == "not in":
        return value in part.values
    if part.operator in ("=", "in"):
        return value not in part.values
    return (part.operator == "is null") == (value is not None) and part.operator in ("is null", "is not null")


def exclusion_text(bound: Bound, key: PartitionBy | None) -> str:
    """The text of a CHECK that excludes ``bound``; ``the_key`` stands for a column that is not known."""
    column = readable_ident(key.columns[0]) if key and key.columns and key.columns[0] else "the_key"
    if bound.strategy == "range" and len(bound.lower) == 1:
        below = [] if bound.lower[0] == "MINVALUE" else [f"{column} < {literal(bound.lower[0])}"]
        above = [] if bound.upper[0] == "MAXVALUE" else [f"{column} >= {literal(bound.upper[0])}"]
        return " OR ".join([*below, *above]) or f"{column} IS NULL"
    if bound.strategy == "list" and None not in bound.values:
        return f"{column} NOT IN ({_listed(bound.values)}) OR {column} IS NULL"
    return "the opposite of the bounds, written as a condition"


def _listed(values: Iterable[str | None]) -> str:
    return ", ".join(literal(v) for v in values if v is not None)
