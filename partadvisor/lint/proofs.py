"""Whether a constraint proves to the server what it would otherwise read a table for.

The server compares by its own predicate prover; here the literal forms people write are understood, and everything else
is "not known" (None), so that a rule can be less sure of itself.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable
from datetime import datetime, timedelta

from partadvisor.lint.tables import ConstraintState, Table
from partadvisor.model.ddl_parts import Bound, CheckExpression, Comparison, PartitionBy
from partadvisor.pg.quote import quote_literal
from partadvisor.pg.readable import readable_ident

_NUMBER = re.compile(r"[+-]?\d+(\.\d+)?")


def proves_bound(partition: Table, key: PartitionBy | None, bound: Bound) -> bool | None:
    """Whether the valid CHECKs of ``partition`` together imply ``bound``, so that ATTACH reads nothing.

    ``key`` None: the partitioned table is not known, so any column may be its key. None: a CHECK is there that is not
    understood, or that does if only the column cannot be NULL, which nobody knows.
    """
    checks = [c.check for c in partition.of_kind("check") if c.check and c.validated and c.enforced]
    parts = [p for c in checks for p in c.parts]
    not_null = {c.columns[0] for c in partition.of_kind("not_null") if c.validated and c.columns}
    not_null |= {c.name for c in partition.columns.values() if c.not_null}
    not_null |= {p.column for p in parts if p.operator == "is not null"}
    found = [_implied(partition, parts, columns, bound, not_null) for columns in _keys(key, parts)]
    if not partition.known and True not in found:
        found += [None for c in _keys(key, parts) if _implied(partition, parts, c, bound, {*not_null, *c})]
    return any_of([*found, None if any(not c.complete for c in checks) else False])


def any_of(answers: Iterable[bool | None]) -> bool | None:
    """Whether one of them is true; None when nobody knows."""
    given = set(answers)
    return True if True in given else None if None in given else False


def all_of(answers: Iterable[bool | None]) -> bool | None:
    """Whether all of them are true; None when nobody knows."""
    given = set(answers)
    return False if False in given else None if None in given else True


def bound_check(bound: Bound | None, key: PartitionBy | None) -> CheckExpression | None:
    """The bound of one column as a CHECK, as DETACH CONCURRENTLY leaves it behind; None for what is not understood."""
    column = key.columns[0] if key is not None and len(key.columns) == 1 else None
    if bound is None or column is None or bound.strategy not in ("range", "list") or None in bound.values:
        return None
    parts = [Comparison(column=column, operator="is not null")]
    if bound.strategy == "list":
        parts.append(Comparison(column=column, operator="in", values=bound.values))
    if bound.strategy == "range" and bound.lower[0] != "MINVALUE":
        parts.append(Comparison(column=column, operator=">=", values=(bound.lower[0],)))
    if bound.strategy == "range" and bound.upper[0] != "MAXVALUE":
        parts.append(Comparison(column=column, operator="<", values=(bound.upper[0],)))
    return CheckExpression(text=bound.text, parts=tuple(parts))


def _keys(key: PartitionBy | None, parts: Iterable[Comparison]) -> list[tuple[str, ...]]:
    if key is not None:
        return [tuple(c for c in key.columns if c is not None)] if None not in key.columns else []
    return [(c,) for c in {p.column: None for p in parts}]


def _implied(
    partition: Table, parts: list[Comparison], columns: tuple[str, ...], bound: Bound, not_null: set[str]
) -> bool | None:
    if bound.strategy == "hash":
        return any(_is_hash_call(p, bound) for p in parts)
    if not columns:
        return False
    column = columns[0]
    mine = [p for p in parts if p.column == column and comparable(partition, p)]
    if bound.strategy == "list":
        return _implied_list(mine, set(bound.values), nullable=column not in not_null)
    if bound.strategy != "range" or len(columns) > 1 or column not in not_null:
        return False
    low, high = bound.lower[0], bound.upper[0]
    above = low == "MINVALUE" or any_of(_at_least(p, low) for p in mine)
    return all_of([above, high == "MAXVALUE" or any_of(_below(p, high) for p in mine)])


def _implied_list(parts: list[Comparison], allowed: set[str | None], *, nullable: bool) -> bool:
    if None in allowed and any(p.operator == "is null" for p in parts):
        return True
    if nullable and None not in allowed:
        return False
    return any(p.operator in ("=", "in") and set(p.values) <= allowed for p in parts)


def comparable(table: Table, part: Comparison) -> bool:
    """Whether the server compares the column itself: one of integers is cast for a number with a fraction."""
    column = table.columns.get(part.column)
    whole = column is not None and column.type in ("smallint", "integer", "bigint")
    return not (whole and any(v is not None and "." in v for v in part.values))


def _is_hash_call(part: Comparison, bound: Bound) -> bool:
    wanted = (str(bound.modulus), str(bound.remainder))
    return part.operator == "call" and part.function == "satisfies_hash_partition" and part.values[1:3] == wanted


def _at_least(part: Comparison, low: str) -> bool | None:
    if part.operator in (">=", "=", "in", ">"):
        return all_of(ordered(low, v, equal=True) for v in part.values)
    return False


def _below(part: Comparison, high: str) -> bool | None:
    if part.operator in ("<", "<=", "=", "in"):
        return all_of(ordered(v, high, equal=part.operator == "<") for v in part.values)
    return False


def ordered(low: str | None, high: str | None, *, equal: bool) -> bool | None:
    """``low`` < ``high``, or = when ``equal``, of numbers and ISO dates; None: not known, as for texts."""
    if low is None or high is None:
        return False
    if low == high:
        return equal
    first, second = _number(low), _number(high)
    if first is not None and second is not None:
        return first < second or (equal and first == second)
    return _ordered_times(low, high, equal=equal)


@functools.lru_cache(maxsize=4096)
def _number(text: str) -> float | None:
    return float(text) if _NUMBER.fullmatch(text) else None


@functools.lru_cache(maxsize=4096)
def _time(text: str) -> datetime:
    return datetime.fromisoformat(text)


def _ordered_times(low: str, high: str, *, equal: bool) -> bool | None:
    """The same of dates and times, however they are written; one without a zone may mean any."""
    try:
        first, second = _time(low), _time(high)
    except ValueError:
        return None
    if (first.tzinfo is None) == (second.tzinfo is None):
        return first < second or (equal and first == second)
    apart = first.replace(tzinfo=None) - second.replace(tzinfo=None)
    return apart < timedelta(0) if abs(apart) > timedelta(days=1) else None


def proves_not_null(table: Table, column: str) -> bool | None:
    """Whether a valid CHECK says that the column is not null, so that SET NOT NULL reads nothing (12 and later)."""
    checks = [c.check for c in table.of_kind("check") if c.check and c.validated and c.enforced]
    if any(p.operator == "is not null" and p.column == column for c in checks for p in c.parts):
        return True
    return None if any(not c.complete for c in checks) else False


def pending(table: Table) -> list[ConstraintState]:
    """Its constraints that are still NOT VALID."""
    return [c for c in table.constraints.values() if not c.validated]


def check_text(bound: Bound, key: PartitionBy | None) -> str:
    """The text of a CHECK that proves ``bound``; ``the_key`` stands for a column that is not known."""
    column = readable_ident(key.columns[0]) if key and key.columns and key.columns[0] else "the_key"
    if bound.strategy == "range" and len(bound.lower) == 1:
        parts = [f"{column} IS NOT NULL"]
        parts += [f"{column} >= {literal(bound.lower[0])}"] if bound.lower[0] != "MINVALUE" else []
        parts += [f"{column} < {literal(bound.upper[0])}"] if bound.upper[0] != "MAXVALUE" else []
        return " AND ".join(parts)
    if bound.strategy == "list":
        values = ", ".join(literal(v) for v in bound.values if v is not None)
        listed = f"{column} IN ({values})" if values else f"{column} IS NULL"
        if None in bound.values:
            return f"{column} IS NULL OR {listed}" if values else listed
        return f"{column} IS NOT NULL AND {listed}"
    if bound.strategy == "hash":
        return f"satisfies_hash_partition('the_parent'::regclass, {bound.modulus}, {bound.remainder}, {column})"
    return "the bounds, written as a condition"


def literal(value: str) -> str:
    """A bound's value as SQL; numbers stay bare."""
    return value if _NUMBER.fullmatch(value) else quote_literal(value)


def without_not_null(check: CheckExpression) -> bool:
    """Whether the CHECK lets NULL through: it compares a column and does not say IS NOT NULL."""
    said = {p.column for p in check.parts if p.operator == "is not null"}
    return any(p.operator != "is not null" and p.column not in said for p in check.parts)
