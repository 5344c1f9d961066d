"""Which columns grow with time: a range over such a column sends every insert to the newest partition.

Only orders are used, never values, so a redacted snapshot gives the same answer.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from partadvisor.model.activity import RecentRows
from partadvisor.model.catalog import Column, Relation
from partadvisor.pg import knowledge
from partadvisor.pg.hashing.types import base_name

_GROWING_DEFAULT = re.compile(
    r"\b(nextval|now|clock_timestamp|statement_timestamp|transaction_timestamp|uuidv7|uuid_generate_v7|uuid_generate_v1)"
    r"\s*\(|\b(CURRENT_TIMESTAMP|LOCALTIMESTAMP|CURRENT_DATE)\b",
    re.IGNORECASE,
)
_FEWEST_TRANSACTIONS = 8
_NUMERIC = {"int2", "int4", "int8", "numeric", "float4", "float8", "oid", "xid8"}
_TEMPORAL = {"date", "timestamp", "timestamptz"}
_ORDERED_AS_TEXT = {"date", "timestamp", "timestamptz", "uuid", "text", "varchar", "bpchar", "time"}


def monotone_columns(relation: Relation, recent: RecentRows | None) -> frozenset[str]:
    """Columns whose new values lie beyond the old ones."""
    return frozenset(c.name for c in relation.columns if _is_monotone(c, recent))


def grows_by_default(column: Column) -> bool:
    """Whether the column's own default hands out growing values: identity, a sequence, the clock, UUID version 7."""
    return bool(column.identity) or bool(column.default and _GROWING_DEFAULT.search(column.default))


def _is_monotone(column: Column, recent: RecentRows | None) -> bool:
    limits = knowledge.load("advice.toml")
    order = insertion_order(column, recent)
    if order is not None and order >= float(limits["monotone_order"]):
        return True
    correlation = column.statistics.correlation if column.statistics else None
    in_order = correlation is not None and correlation >= float(limits["monotone_statistics"])
    if order is None and in_order and _has_many_values(column, float(limits["monotone_distinct"])):
        return True  # rows lie in the order they came, and nothing later says otherwise
    if not grows_by_default(column) or (order is not None and order < float(limits["monotone_default_order"])):
        return False
    return correlation is None or in_order


def _has_many_values(column: Column, least: float) -> bool:
    """A few values in order are a table loaded group by group."""
    distinct = column.statistics.n_distinct if column.statistics else 0.0
    return distinct < 0 or distinct >= least


def may_be_time_of_insertion(column: Column) -> bool:
    """Whether a column of which nothing is known is most likely the time of the row: of a temporal type."""
    known = column.statistics is not None and column.statistics.correlation is not None
    return not known and base_name(column.base_type) in _TEMPORAL


def insertion_order(column: Column, recent: RecentRows | None) -> float | None:
    """Spearman's rank correlation of the column's values with the transactions that inserted them, -1 to 1.

    None when there are too few transactions, or the type's order is not known here.
    """
    if recent is None or column.name not in recent.columns:
        return None
    at = recent.columns.index(column.name)
    ranks = _stored_ranks(recent, at) if recent.values_hashed else _ranks(column, [row[at] for row in recent.rows])
    if ranks is None:
        return None
    means = _mean_by_transaction(ranks, recent.transactions)
    if len(means) < _FEWEST_TRANSACTIONS:
        return None
    return _rank_correlation(means)


def _stored_ranks(recent: RecentRows, at: int) -> list[float] | None:
    if at >= len(recent.ranks):
        return None
    ranks = recent.ranks[at]
    return None if len(ranks) != len(recent.rows) or None in ranks else [float(r or 0) for r in ranks]


def _ranks(column: Column, values: Sequence[str | None]) -> list[float] | None:
    """Dense ranks of the values in their type's order."""
    name = base_name(column.base_type)
    if any(v is None for v in values) or name not in _NUMERIC | _ORDERED_AS_TEXT:
        return None
    present = [v for v in values if v is not None]
    if name in _NUMERIC:
        numbers = [float(v) for v in present]
        place_of_number = {v: float(i) for i, v in enumerate(sorted(set(numbers)))}
        return [place_of_number[v] for v in numbers]
    place_of_text = {v: float(i) for i, v in enumerate(sorted(set(present)))}
    return [place_of_text[v] for v in present]


def _mean_by_transaction(ranks: Sequence[float], transactions: Sequence[int]) -> list[float]:
    """One number a transaction, in the order of the transactions: rows of one INSERT are one observation."""
    sums: dict[int, tuple[float, int]] = {}
    for rank, transaction in zip(ranks, transactions, strict=True):
        total, count = sums.get(transaction, (0.0, 0))
        sums[transaction] = (total + rank, count + 1)
    return [sums[t][0] / sums[t][1] for t in sorted(sums)]


def _rank_correlation(values: Sequence[float]) -> float:
    """Correlation of the values' ranks (ties share their mean rank) with their positions."""
    count = len(values)
    ordered = sorted(range(count), key=values.__getitem__)
    ranks = [0.0] * count
    first = 0
    while first < count:
        last = first
        while last + 1 < count and values[ordered[last + 1]] == values[ordered[first]]:
            last += 1
        for i in ordered[first : last + 1]:
            ranks[i] = (first + last) / 2
        first = last + 1
    middle = (count - 1) / 2
    spread = sum((r - middle) ** 2 for r in ranks)
    if spread == 0:
        return 0.0
    shared = sum((r - middle) * (i - middle) for i, r in enumerate(ranks))
    positions = sum((i - middle) ** 2 for i in range(count))
    return float(shared / (spread * positions) ** 0.5)
