"""Recent inserts by time and by value of one column: a growing key is a diagonal, one hot value a band.

Time is the order of the inserting transactions; values are sorted in their type's order and cut into buckets that hold
about as many different values each, so that a skewed column does not vanish in one bucket.
"""

from __future__ import annotations

from collections.abc import Sequence

from partadvisor.model.activity import RecentRows
from partadvisor.model.base import Value
from partadvisor.model.catalog import Column
from partadvisor.pg.ordering import order_key


class HeatMap(Value, frozen=True, kw_only=True):
    """``counts`` are rows by bucket of the value (largest values first) and by time (oldest first).

    ``bounds`` are the smallest and the largest value of each bucket as text, or a rank where values are hashed;
    ``spans`` are the first and last transaction of each stretch of time, counted from 0.
    """

    table: str
    column: str
    counts: tuple[tuple[int, ...], ...]
    bounds: tuple[tuple[str, str], ...]
    spans: tuple[tuple[int, int], ...]
    rows: int

    @property
    def most(self) -> int:
        """The fullest cell."""
        return max((n for line in self.counts for n in line), default=0)


def heat_map(recent: RecentRows, column: Column, *, times: int, buckets: int) -> HeatMap | None:
    """At most ``buckets`` x ``times`` cells; None when the column was not read or its order is not known here."""
    if column.name not in recent.columns or not recent.rows:
        return None
    at = recent.columns.index(column.name)
    keyed = _ranked(recent, at) if recent.values_hashed else _keyed(recent, at, column)
    if not keyed:
        return None
    order = sorted(set(recent.transactions))
    stretch = {t: n * times // max(len(order), times) for n, t in enumerate(order)}
    columns = max(stretch.values()) + 1
    distinct = sorted({key: text for key, text, _ in keyed}.items())
    bucket = {key: n * buckets // max(len(distinct), buckets) for n, (key, _) in enumerate(distinct)}
    lines = max(bucket.values()) + 1
    counts = [[0] * columns for _ in range(lines)]
    for key, _text, transaction in keyed:
        counts[bucket[key]][stretch[transaction]] += 1
    return HeatMap(
        table=recent.table,
        column=column.name,
        counts=tuple(tuple(line) for line in reversed(counts)),
        bounds=tuple(reversed(_ends([(bucket[key], text) for key, text in distinct]))),
        spans=tuple((int(a), int(b)) for a, b in _ends([(stretch[t], str(t)) for t in order])),
        rows=len(keyed),
    )


def _keyed(recent: RecentRows, at: int, column: Column) -> list[tuple[object, str, int]]:
    """Sortable key, text and transaction of each row with a value; nothing when one has no known order."""
    found = []
    for row, transaction in zip(recent.rows, recent.transactions, strict=True):
        text = row[at]
        if text is None:
            continue
        key = order_key(column.base_type, text)
        if key is None:
            return []
        found.append((key, text, transaction))
    return found


def _ranked(recent: RecentRows, at: int) -> list[tuple[object, str, int]]:
    if at >= len(recent.ranks):
        return []
    pairs = zip(recent.ranks[at], recent.transactions, strict=True)
    return [(rank, f"rank {rank}", transaction) for rank, transaction in pairs if rank is not None]


def _ends(items: Sequence[tuple[int, str]]) -> list[tuple[str, str]]:
    """First and last text of each number; the items are in order."""
    found: dict[int, tuple[str, str]] = {}
    for number, text in items:
        found[number] = (found[number][0] if number in found else text, text)
    return [found[n] for n in sorted(found)]
