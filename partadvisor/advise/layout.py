"""The partitions of one level as pruning sees them: bounds in order, and which partition holds what lies between.

A level is searched with keys of ``partadvisor.pg.ordering``. A search gives *offsets*: remainders of a hash level,
values of a list level, the ranges between neighbouring bounds of a range level, and ``DEFAULT`` and ``NULLS``.
Conditions are combined as sets of offsets, as the server does it, and only the last set is turned into partitions: two
offsets of one partition may be excluded by two different conditions.
"""

from __future__ import annotations

import itertools
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from partadvisor.advise.columns import ColumnFacts
from partadvisor.model.scheme import HashLevel, Level, ListLevel, RangeLevel
from partadvisor.pg.ordering import equality_key

Offsets = frozenset[Hashable]
Component = tuple[Any, ...]
"""One column of a bound: ``(-1,)`` MINVALUE, ``(0, key)`` a value, ``(1,)`` MAXVALUE. They sort as bounds do."""
Bound = tuple[Component, ...]
DEFAULT: Final = "default"
NULLS: Final = "nulls"
MINVALUE: Final[Component] = (-1,)
MAXVALUE: Final[Component] = (1,)
_NONE: Final[Offsets] = frozenset()


@dataclass(frozen=True, slots=True)
class HashParts:
    """One partition for each remainder."""

    columns: tuple[str, ...]
    total: int

    covers = True


@dataclass(frozen=True, slots=True)
class ListParts:
    """``places``: value key → partition number. ``null_part`` and ``default`` are partition numbers, if any."""

    columns: tuple[str, ...]
    total: int
    places: Mapping[Hashable, int]
    null_part: int | None
    default: int | None
    ordered: tuple[Any, ...] | None  # the values' keys in order, None when the type's order is not known

    @property
    def covers(self) -> bool:
        """Whether every value has a partition."""
        return self.default is not None


@dataclass(frozen=True, slots=True)
class RangeParts:
    """``bounds`` in order; ``parts[i]`` is the partition that ends at ``bounds[i]``, None for a gap."""

    columns: tuple[str, ...]
    total: int
    bounds: tuple[Bound, ...]
    parts: tuple[int | None, ...]
    default: int | None

    @property
    def covers(self) -> bool:
        """Whether every value (but NULL) has a partition."""
        ends = bool(self.bounds) and self.bounds[0][0] == MINVALUE and self.bounds[-1][0] == MAXVALUE
        return self.default is not None or (ends and None not in self.parts[1:-1])


@dataclass(frozen=True, slots=True)
class OpenParts:
    """A level whose bounds are not known (yet): one value falls into one of ``total`` partitions.

    Of a range by interval or step the distance between two values is known still: see ``partadvisor.advise.grid``.
    """

    columns: tuple[str, ...]
    total: int
    level: Level
    covers: bool = field(default=True)


Parts = HashParts | ListParts | RangeParts | OpenParts


def parts_of(level: Level, size: int, columns: Mapping[str, ColumnFacts]) -> Parts:
    """The partitions a level of a scheme has, as far as the scheme says where they lie.

    Args:
        level: hash, list or range.
        size: its number of partitions. One more than the bounds make is a DEFAULT partition.
        columns: facts of the key's columns.
    """
    if isinstance(level, HashLevel):
        return HashParts(level.columns, level.modulus)
    if isinstance(level, ListLevel) and level.values:
        return list_parts(level.columns[0], level.values, size > len(level.values), columns)
    if isinstance(level, RangeLevel) and level.at:
        edges: list[Sequence[str | Component]] = [[MINVALUE], *([value] for value in level.at), [MAXVALUE]]
        ranges = list(itertools.pairwise(edges))
        return range_parts(level.columns, ranges, size > len(ranges), columns) or OpenParts(level.columns, size, level)
    if isinstance(level, RangeLevel) and level.start:
        split: list[Sequence[str | Component]] = [[MINVALUE], [level.start], [MAXVALUE]]
        ranges = list(itertools.pairwise(split))
        return range_parts(level.columns, ranges, False, columns) or OpenParts(level.columns, size, level)
    return OpenParts(level.columns, size, level)


def list_parts(
    column: str,
    groups: Sequence[Sequence[str | None]],
    default: bool,
    columns: Mapping[str, ColumnFacts],
) -> Parts:
    """A list level of these groups of values (text, None for NULL)."""
    facts = columns[column]
    total = len(groups) + default
    if not facts.comparable:
        return OpenParts((column,), total, ListLevel(columns=(column,)), default)
    places = {
        equality_key(facts.type, value, facts.labels): number
        for number, group in enumerate(groups)
        for value in group
        if value is not None
    }
    null_part = next((n for n, group in enumerate(groups) if None in group), None)
    keys = [facts.order(value) for group in groups for value in group if value is not None]
    ordered = None if any(k is None for k in keys) else tuple(sorted(keys))
    return ListParts((column,), total, places, null_part, total - 1 if default else None, ordered)


def range_parts(
    names: tuple[str, ...],
    ranges: Sequence[tuple[Sequence[str | Component], Sequence[str | Component]]],
    default: bool,
    columns: Mapping[str, ColumnFacts],
) -> RangeParts | None:
    """A range level of ``(from, to)`` bounds, shorter ones continued; None when the order of a type is not known."""
    pairs = [(_bound(low, names, columns), _bound(high, names, columns)) for low, high in ranges]
    known = [(low, high) for low, high in pairs if low is not None and high is not None]
    if len(known) < len(pairs):
        return None
    bounds = sorted({bound for pair in known for bound in pair})
    ends = {high: number for number, (_, high) in enumerate(known)}
    total = len(known) + default
    parts = (*(ends.get(bound) for bound in bounds), None)
    return RangeParts(names, total, tuple(bounds), parts, total - 1 if default else None)


def _bound(
    values: Sequence[str | Component], names: tuple[str, ...], columns: Mapping[str, ColumnFacts]
) -> Bound | None:
    found: list[Component] = []
    for value, name in zip(values, names, strict=False):
        key = columns[name].order(value) if isinstance(value, str) else None
        if isinstance(value, str) and key is None:
            return None
        found.append((0, key) if isinstance(value, str) else value)
    rest = found[-1] if found[-1][0] else MINVALUE  # MINVALUE and MAXVALUE are followed by themselves
    return (*found, *[rest] * (len(names) - len(found)))


def partitions(parts: ListParts | RangeParts, offsets: Offsets) -> frozenset[int]:
    """Numbers of the partitions that hold these offsets."""
    places: dict[Hashable, int | None] = {DEFAULT: parts.default}
    if isinstance(parts, ListParts):
        places |= {NULLS: parts.null_part, **parts.places}
    else:
        places |= {i: parts.default if part is None else part for i, part in enumerate(parts.parts)}
    found = {places[offset] for offset in offsets}
    return frozenset(n for n in found if n is not None)


def count_of(parts: Parts, offsets: Offsets) -> int:
    """How many partitions hold these offsets."""
    if isinstance(parts, (HashParts, OpenParts)):
        return min(len(offsets), parts.total)
    return len(partitions(parts, offsets))


def has_default(parts: Parts) -> bool:
    """Whether the level has a DEFAULT partition."""
    return isinstance(parts, (ListParts, RangeParts)) and parts.default is not None


def numbers_of(parts: Parts, offsets: Offsets | None) -> list[int]:
    """Numbers of the partitions that hold these offsets, of all where the offsets are not known."""
    if offsets is None or isinstance(parts, OpenParts):
        return list(range(parts.total))
    return sorted(offsets if isinstance(parts, HashParts) else partitions(parts, offsets))  # type: ignore[arg-type]
