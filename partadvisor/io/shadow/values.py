"""Values for a statement's parameters, so that the planner sees what it would see in production.

Logged parameters are taken where there are any. Else a parameter compared with a column takes a value of the middle of
that column's statistics, a pair of bounds encloses a hundredth of it, and the rest is a plain value of its type.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from partadvisor.advise.conditions import comparisons_of
from partadvisor.io.shadow.filling import array_literal
from partadvisor.model.catalog import Column, ColumnStatistics, Relation
from partadvisor.model.workload import QueryFamily
from partadvisor.pg import knowledge
from partadvisor.pg.ordering import order_key
from partadvisor.sql.server_text import counted_parameters

_LOWER, _UPPER = (">", ">="), ("<", "<=")
_OPEN_LOWER, _OPEN_UPPER = 2 / 3, 1 / 3
"""Where a bound without a counterpart lies: a third of the rows is beyond it, as the planner assumes of unknowns."""
_ROWS_WANTED = 20
_PLAIN = {
    "smallint": "1", "integer": "1", "bigint": "1", "numeric": "1", "real": "1", "double precision": "1",
    "text": "x", "character varying": "x", "character": "x", "name": "x", "boolean": "t", "interval": "1 day",
    "uuid": "00000000-0000-4000-8000-000000000001", "json": "{}", "jsonb": "{}", "bytea": "\\x00", "inet": "10.0.0.1",
    "time without time zone": "12:00", "oid": "1",
}  # fmt: skip
_TIMES = ("date", "timestamp without time zone", "timestamp with time zone")
_NUMBERED = re.compile(r"\$(\d+)")


@dataclass
class _Bound:
    """What a parameter is compared with."""

    column: Column
    operator: str
    array: bool = False
    enclosed: bool = False


@dataclass
class Chooser:
    """Chooses the values of one snapshot; ``day`` stands in for times of which nothing is known."""

    relations: Mapping[str, Relation]
    day: str
    _taken: dict[str, int] = field(default_factory=dict)

    def values(self, family: QueryFamily, text: str, types: Sequence[str]) -> list[str | None]:
        """One value for each parameter of ``text``, as text; None is NULL, where nothing else is of the type."""
        logged = next((p for p in family.parameters if len(p) == len(types)), None)
        if logged is not None:
            return list(logged)
        self._taken = {}
        bounds = self._bounds(family)
        limits, offsets = counted_parameters(text)
        wanted = max(1, round(family.rows_per_call)) if family.rows_per_call >= 1 else _ROWS_WANTED
        found: list[str | None] = []
        for number, kind in enumerate(types, start=1):
            name = f"${number}"
            if name in limits or name in offsets:
                found.append(str(wanted) if name in limits else "0")
            else:
                found.append(self._value(bounds.get(name), kind))
        return found

    def _bounds(self, family: QueryFamily) -> dict[str, _Bound]:
        found: dict[str, _Bound] = {}
        for access in family.pattern.tables if family.pattern else ():
            relation = self.relations.get(access.table)
            by_column: dict[str, list[str]] = {}
            for comparison in comparisons_of(access.condition):
                column = relation.column(comparison.column) if relation else None
                for operand in comparison.operands:
                    if column and operand.kind in ("parameter", "array_parameter") and _is_numbered(operand.value):
                        array = operand.kind == "array_parameter"
                        found[str(operand.value)] = _Bound(column, comparison.operator, array)
                        by_column.setdefault(column.name, []).append(str(operand.value))
            for names in by_column.values():
                _enclose([found[name] for name in names])
        return found

    def _value(self, bound: _Bound | None, kind: str) -> str | None:
        if bound is None:
            return self._plain(kind, 0)
        if bound.array or kind.endswith("[]"):
            length = int(knowledge.load("read_cost.toml")["array_length"])
            element = kind.removesuffix("[]")
            return array_literal([v for _ in range(length) if (v := self._equal(bound.column, element)) is not None])
        if bound.operator in (*_LOWER, *_UPPER):
            return self._at_bound(bound) or self._plain(kind, int(bound.operator in _UPPER))
        if bound.operator == "like":
            return "abc%"
        return self._equal(bound.column, kind)

    def _equal(self, column: Column, kind: str) -> str | None:
        """A usual value of the column, another one each time."""
        number = self._taken.get(column.name, 0)
        self._taken[column.name] = number + 1
        statistics = column.statistics
        if statistics is None or statistics.values_hashed or not (statistics.most_common or statistics.histogram):
            return self._plain(kind, number)
        usual = _usual(statistics)
        return usual[(len(usual) // 2 + number) % len(usual)]

    def _at_bound(self, bound: _Bound) -> str | None:
        statistics = bound.column.statistics
        if statistics is None or statistics.values_hashed:
            return None
        values = _in_order(bound.column, statistics)
        if not values:
            return None
        middle, last = (len(values) - 1) // 2, len(values) - 1
        if bound.enclosed:
            return values[min(last, middle + (bound.operator in _UPPER))]
        return values[round(last * (_OPEN_LOWER if bound.operator in _LOWER else _OPEN_UPPER))]

    def _plain(self, kind: str, number: int) -> str | None:
        if kind in _TIMES:
            return self.day
        if kind.endswith("[]"):
            return "{}"
        plain = _PLAIN.get(kind)
        return str(int(plain) + number) if plain == "1" else plain


def _is_numbered(value: str | None) -> bool:
    return value is not None and bool(_NUMBERED.fullmatch(value))


def _enclose(bounds: Sequence[_Bound]) -> None:
    """A lower and an upper bound on one column enclose a small part of it."""
    if any(b.operator in _LOWER for b in bounds) and any(b.operator in _UPPER for b in bounds):
        for bound in bounds:
            bound.enclosed = bound.operator in (*_LOWER, *_UPPER)


def _in_order(column: Column, statistics: ColumnStatistics) -> tuple[str, ...]:
    """Known values in the type's order, as far as it is known outside the server."""
    if len(statistics.histogram) > 1:
        return statistics.histogram
    common = [value for value, _ in statistics.most_common]
    keys = [order_key(column.base_type, value) for value in common]
    if any(key is None for key in keys):
        return tuple(common)
    return tuple(value for _, value in sorted(zip(keys, common, strict=True)))


def _usual(statistics: ColumnStatistics) -> tuple[str, ...]:
    """Common values where they are most of the rows, else values between them."""
    common = tuple(value for value, _ in statistics.most_common)
    if not statistics.histogram or sum(share for _, share in statistics.most_common) >= 0.5:
        return common
    return statistics.histogram
