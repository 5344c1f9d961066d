"""Statistics of partitions, derived from those of the whole table.

Of the key's own values each partition gets those that fall into it. Other columns are taken as independent of the key,
except that a column in the same physical order as a range key is cut at the same places.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import msgspec

from partadvisor.advise.key_sample import KeySample, distinct_values, key_sample
from partadvisor.advise.spread import hash_shares
from partadvisor.advise.subject import Subject
from partadvisor.io.connect import Connection
from partadvisor.io.shadow.btree import BLOCK
from partadvisor.io.shadow.filling import index_pages, pages_of
from partadvisor.io.shadow.probe import places
from partadvisor.model.catalog import Column, ColumnStatistics, Index, Relation
from partadvisor.model.scheme import HashLevel, Level, RangeLevel
from partadvisor.planner.partitions import Partition, key_text

_IN_ORDER = 0.95
"""Correlation with the physical order from which two columns count as growing together."""


@dataclass(frozen=True, slots=True)
class Cut:
    """How one level cuts a relation.

    ``shares`` of its rows by partition, and for a single-column key the partition of each common value and of each
    histogram bound (None when the values are hidden or unknown), and that of NULL.
    """

    level: Level
    shares: tuple[float, ...]
    common: tuple[int, ...] | None = None
    bounds: tuple[int, ...] | None = None
    null: int | None = None


def partitions(
    connection: Connection, relation: Relation, levels: Sequence[Level], parts: Sequence[Partition], encoding: str
) -> Iterator[Relation]:
    """Every partition of every level as a relation with its rows, sizes and statistics."""
    cut = cut_of(connection, relation, levels[0], parts, encoding)
    for number, part in enumerate(parts):
        filled = partition_of(relation, cut, number, part.name)
        yield filled
        if part.parts:
            yield from partitions(connection, filled, levels[1:], part.parts, encoding)


def cut_of(connection: Connection, relation: Relation, level: Level, parts: Sequence[Partition], encoding: str) -> Cut:
    """Shares and members of the partitions of one level."""
    column = relation.column(level.columns[0])
    statistics = column.statistics if column else None
    common: tuple[int, ...] | None = None
    bounds: tuple[int, ...] | None = None
    null: int | None = None
    if len(level.columns) == 1 and column and statistics and not statistics.values_hashed:
        values: list[str | None] = [*(v for v, _ in statistics.most_common), *statistics.histogram]
        nulls = [None] if statistics.null_fraction > 0 else []  # an "ahead" scheme has no partition for NULL
        found = places(connection, column, key_text(level), parts, [*values, *nulls])
        if found is not None and values:
            listed = len(statistics.most_common)
            common, bounds = tuple(found[:listed]), tuple(found[listed : len(values)])
            null = found[-1] if nulls else None
    if isinstance(level, HashLevel):
        shares = _hash_shares(relation, level, encoding)
    elif statistics and common is not None and bounds is not None:
        shares = _value_shares(statistics, common, bounds, null, len(parts))
    else:
        shares = _even_shares(parts)
    return Cut(level, _normal(shares), common, bounds, null)


def _hash_shares(relation: Relation, level: HashLevel, encoding: str) -> list[float]:
    sample = key_sample(Subject(relation=relation, major=18, encoding=encoding), level.columns)
    return hash_shares(KeySample(None, sample.expected, 0.0), level.modulus)


def _value_shares(
    statistics: ColumnStatistics, common: Sequence[int], bounds: Sequence[int], null: int | None, count: int
) -> list[float]:
    """Common values count by their share; between two bounds of the histogram lie equally many of the other rows."""
    shares = [0.0] * count
    if null is not None:
        shares[null] += statistics.null_fraction
    for (_, share), place in zip(statistics.most_common, common, strict=True):
        shares[place] += share
    rest = _rest(statistics)
    steps = list(itertools.pairwise(bounds))
    for low, high in steps:
        between = range(min(low, high), max(low, high) + 1)
        for place in between:
            shares[place] += rest / len(steps) / len(between)
    return shares


def _rest(statistics: ColumnStatistics) -> float:
    """Share of rows whose value is neither NULL nor a listed common one."""
    return max(0.0, 1.0 - statistics.null_fraction - sum(share for _, share in statistics.most_common))


def _even_shares(parts: Sequence[Partition]) -> list[float]:
    named = [0.0 if part.bound == "DEFAULT" else 1.0 for part in parts]
    return named if any(named) else [1.0] * len(parts)


def _normal(shares: Sequence[float]) -> tuple[float, ...]:
    total = sum(shares)
    return tuple(s / total for s in shares) if total > 0 else tuple(1 / len(shares) for _ in shares)


def partition_of(relation: Relation, cut: Cut, number: int, name: str) -> Relation:
    """One partition of the cut, under the name ``name``."""
    share = cut.shares[number]
    pages = math.ceil(pages_of(relation) * share)
    return msgspec.structs.replace(
        relation,
        name=name,
        rows=relation.rows * share if relation.rows >= 0 else -1.0 if share else 0.0,
        pages=pages,
        heap_bytes=pages * BLOCK,
        all_visible_pages=_scaled(relation.all_visible_pages, pages / max(1, relation.pages)),
        columns=tuple(_column(c, relation, cut, number) for c in relation.columns),
        indexes=tuple(_index(i, relation, share) for i in relation.indexes),
    )


def _scaled(pages: int | None, ratio: float) -> int | None:
    return None if pages is None else round(pages * min(1.0, ratio))


def _index(index: Index, relation: Relation, share: float) -> Index:
    pages = 1 + math.ceil((index_pages(relation, index) - 1) * share) if share else 1
    rows = None if index.rows is None or index.rows < 0 else index.rows * share
    return msgspec.structs.replace(index, size_bytes=pages * BLOCK, rows=rows)


def _column(column: Column, relation: Relation, cut: Cut, number: int) -> Column:
    statistics = column.statistics
    share = cut.shares[number]
    if statistics is None or share <= 0:
        return msgspec.structs.replace(column, statistics=None)
    if (column.name,) == cut.level.columns and cut.common is not None and cut.bounds is not None:
        found = _key_statistics(statistics, column, relation, cut, number)
    else:
        found = _other_statistics(statistics, column, relation, cut, number)
    return msgspec.structs.replace(column, statistics=found)


def _key_statistics(
    statistics: ColumnStatistics, column: Column, relation: Relation, cut: Cut, number: int
) -> ColumnStatistics:
    """The key's values that fall into this partition, their shares being those of its rows."""
    share = cut.shares[number]
    common = tuple(
        (value, min(1.0, frequency / share))
        for (value, frequency), place in zip(statistics.most_common, cut.common or (), strict=True)
        if place == number
    )
    listed = sum(frequency for _, frequency in common)
    distinct = distinct_values(column, relation.rows)
    others = max(0.0, distinct - len(statistics.most_common))
    rest_here = max(0.0, 1.0 - listed) * share / max(1e-9, _rest(statistics)) if _rest(statistics) > 0 else 0.0
    here = max(1.0, len(common) + others * min(1.0, rest_here))
    spread = isinstance(cut.level, HashLevel) and others >= 50 * len(cut.shares)
    kept = tuple(
        v for v, place in zip(statistics.histogram, cut.bounds or (), strict=True) if spread or place == number
    )
    return msgspec.structs.replace(
        statistics,
        null_fraction=min(1.0, statistics.null_fraction / share) if cut.null == number else 0.0,
        n_distinct=_as_told(statistics, here, relation.rows * share),
        most_common=common,
        histogram=kept if len(kept) > 1 and listed < 0.999 else (),
    )


def _other_statistics(
    statistics: ColumnStatistics, column: Column, relation: Relation, cut: Cut, number: int
) -> ColumnStatistics:
    share = cut.shares[number]
    distinct = distinct_values(column, relation.rows)
    if _grows_with_key(statistics, relation, cut):
        return msgspec.structs.replace(
            statistics,
            n_distinct=_as_told(statistics, max(1.0, distinct * share), relation.rows * share),
            most_common=(),
            histogram=_section(statistics, relation, cut, number),
        )
    each = max(1.0, relation.rows / distinct) if relation.rows > 0 else 1.0
    here = max(1.0, distinct * (1.0 - (1.0 - share) ** each))
    return msgspec.structs.replace(statistics, n_distinct=_as_told(statistics, here, relation.rows * share))


def _as_told(statistics: ColumnStatistics, distinct: float, rows: float) -> float:
    """A number of distinct values the way the table's is told: as it is, or as a negative fraction of the rows."""
    if statistics.n_distinct < 0 and rows > 0:
        return -min(1.0, distinct / rows)
    return min(distinct, rows) if rows > 0 and statistics.n_distinct > 0 else statistics.n_distinct


def _key(relation: Relation, cut: Cut) -> ColumnStatistics | None:
    column = relation.column(cut.level.columns[0])
    return column.statistics if column else None


def _grows_with_key(statistics: ColumnStatistics, relation: Relation, cut: Cut) -> bool:
    key = _key(relation, cut)
    if not isinstance(cut.level, RangeLevel) or key is None or not cut.bounds or len(statistics.histogram) < 2:
        return False
    return min(abs(key.correlation or 0.0), abs(statistics.correlation or 0.0)) >= _IN_ORDER


def _section(statistics: ColumnStatistics, relation: Relation, cut: Cut, number: int) -> tuple[str, ...]:
    """The part of the histogram between the partition's lower and upper quantile."""
    key = _key(relation, cut)
    low, high = sum(cut.shares[:number]), sum(cut.shares[: number + 1])
    if (statistics.correlation or 0.0) * ((key.correlation if key else 0.0) or 0.0) < 0:
        low, high = 1.0 - high, 1.0 - low
    last = len(statistics.histogram) - 1
    found = statistics.histogram[math.floor(low * last) : math.ceil(high * last) + 1]
    return found if len(found) > 1 else ()
