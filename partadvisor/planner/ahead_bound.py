"""Chooses where an *ahead* scheme begins: beyond everything that can be inserted before the swap.

The bound is checked by the server twice: by a CHECK that old rows have to meet, and by looking at the largest value
before that CHECK is added. What is chosen here only has to be far enough, and not so far that nothing ever reaches it.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from partadvisor.model.catalog import Column, Relation
from partadvisor.model.errors import UsageError
from partadvisor.model.scheme import RangeLevel, Scheme
from partadvisor.model.snapshot import Snapshot

HORIZON_S = 6 * 3600
"""How long the preparation may take: validating the CHECK reads the whole table once."""
_LEAST_STEP = 10_000
_INTEGERS = {"smallint": 2**15 - 1, "integer": 2**31 - 1, "bigint": 2**63 - 1}
_TIMES = ("date", "timestamp without time zone", "timestamp with time zone")


def with_bound(snapshot: Snapshot, relation: Relation, scheme: Scheme) -> Scheme:
    """``scheme`` with the start of its first level filled in when it was left open.

    Raises:
        UsageError: the column's largest value is not known, or nothing lies beyond it.
    """
    level = scheme.levels[0]
    if not isinstance(level, RangeLevel) or level.start != "":
        return scheme
    column = relation.column(level.columns[0])
    if column is None:
        return scheme
    start = _choose(snapshot, relation, column)
    return Scheme(levels=(RangeLevel(columns=level.columns, start=start), *scheme.levels[1:]))


def _choose(snapshot: Snapshot, relation: Relation, column: Column) -> str:
    values = _finite(known_values(snapshot, relation, column))
    if not values or (column.base_type not in _INTEGERS and column.base_type not in _TIMES):
        raise UsageError(
            f'the largest value of column "{column.name}" of table "{relation.qualified_name}" is not known',
            hint=f"Say where new rows begin: range({column.name}) from VALUE, hash(…) into N.",
        )
    if column.base_type in _INTEGERS:
        return _beyond_number(snapshot, relation, column, [int(value) for value in values])
    return _beyond_time(column, values)


def likely_next(snapshot: Snapshot, relation: Relation, column: Column) -> str | None:
    """A value beyond everything that can be inserted before the swap, or None where that cannot be told."""
    values = _finite(known_values(snapshot, relation, column))
    if values and column.base_type in _TIMES:
        return _beyond_time(column, values)
    if not values or column.base_type not in _INTEGERS:
        return None
    return str(_far_number(snapshot, relation, [int(value) for value in values]))


def known_values(snapshot: Snapshot, relation: Relation, column: Column) -> list[str]:
    """Values of the column from statistics and the rows last written; none of a redacted snapshot."""
    statistics = column.statistics
    found: list[str] = []
    if statistics and not statistics.values_hashed:
        found += [*statistics.histogram, *(value for value, _ in statistics.most_common)]
    recent = snapshot.rows_of(relation.qualified_name)
    if recent and not recent.values_hashed and column.name in recent.columns:
        at = recent.columns.index(column.name)
        found += [value for row in recent.rows if (value := row[at]) is not None]
    return found


def _finite(values: list[str]) -> list[str]:
    return [value for value in values if not value.lstrip("-").startswith("infinity")]


def _beyond_number(snapshot: Snapshot, relation: Relation, column: Column, values: list[int]) -> str:
    start = _far_number(snapshot, relation, values)
    if start >= _INTEGERS[column.base_type]:
        raise UsageError(
            f'column "{column.name}" of table "{relation.qualified_name}" has no room for new values',
            detail=f"Its largest value is {max(values)}, and its type ends at {_INTEGERS[column.base_type]}.",
            hint="Change its type first.",
        )
    return str(start)


def _far_number(snapshot: Snapshot, relation: Relation, values: list[int]) -> int:
    window = snapshot.window
    deltas = [d.inserted for d in window.tables if d.table == relation.qualified_name] if window else []
    rate = sum(deltas) / window.seconds if window and window.seconds else 0.0
    largest = max(values)
    step = max(int(rate * HORIZON_S), abs(largest) // 10, _LEAST_STEP)
    rounding: int = 10 ** (len(str(step)) - 1)
    return (largest + step) // rounding * rounding + rounding


def _beyond_time(column: Column, values: list[str]) -> str:
    """The day after tomorrow, as the newest row sees it."""
    newest = max(datetime.fromisoformat(value[:10]) for value in values if not value.endswith("BC"))
    day = (newest + timedelta(days=2)).date().isoformat()
    return {"date": day, "timestamp without time zone": f"{day} 00:00:00"}.get(column.base_type, f"{day} 00:00:00+00")
