"""Values for range keys of which nothing is known, as in a schema without a server: bounds have to lie somewhere."""

from __future__ import annotations

import datetime
from collections.abc import Iterable

import msgspec

from partadvisor.advise.key_sample import distinct_values
from partadvisor.model.catalog import Column, ColumnStatistics, Relation

_BOUNDS = 101
_YEAR = datetime.timedelta(days=365)
_INTEGERS = {"smallint": 2**15 - 1, "integer": 2**31 - 1, "bigint": 2**63 - 1}
_TIMES = {"date": "", "timestamp without time zone": " 00:00:00", "timestamp with time zone": " 00:00:00+00"}


def with_assumed_values(relation: Relation, names: Iterable[str], day: str) -> tuple[Relation, tuple[str, ...]]:
    """The relation with evenly spread values in those of the columns that have none, and what was assumed.

    Integers count from 1; times go over the year before ``day`` (ISO). A redacted snapshot hides its values for a
    reason and gets none.
    """
    wanted = set(names)
    notes: list[str] = []
    columns = []
    for column in relation.columns:
        values = _values(column, relation, day) if column.name in wanted and not _has_values(column) else ()
        if values:
            notes.append(f"assumed: values of {column.name} go from {values[0]} to {values[-1]}")
            known = column.statistics or ColumnStatistics(n_distinct=-1.0, avg_width=8)
            column = msgspec.structs.replace(column, statistics=msgspec.structs.replace(known, histogram=values))
        columns.append(column)
    return msgspec.structs.replace(relation, columns=tuple(columns)), tuple(notes)


def _has_values(column: Column) -> bool:
    statistics = column.statistics
    return statistics is not None and bool(statistics.values_hashed or statistics.histogram or statistics.most_common)


def _values(column: Column, relation: Relation, day: str) -> tuple[str, ...]:
    if column.base_type in _INTEGERS:
        last = min(_INTEGERS[column.base_type], max(_BOUNDS, round(distinct_values(column, relation.rows))))
        return tuple(str(1 + (last - 1) * n // (_BOUNDS - 1)) for n in range(_BOUNDS))
    if column.base_type in _TIMES:
        end = datetime.date.fromisoformat(day)
        days = (end - _YEAR * (_BOUNDS - 1 - n) / (_BOUNDS - 1) for n in range(_BOUNDS))
        return tuple(f"{one.isoformat()}{_TIMES[column.base_type]}" for one in days)
    return ()
