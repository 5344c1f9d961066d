"""Whether two partition bounds certainly overlap; literals that ``proofs`` cannot order do not."""

from __future__ import annotations

from datetime import datetime, timedelta
from math import gcd

from partadvisor.lint.proofs import ordered
from partadvisor.lint.tables import Table
from partadvisor.lint.type_change import parts_of
from partadvisor.model.ddl_parts import Bound

_TEXTS = ("text", "character varying", "character", "uuid", "bytea", "inet")
"""Types whose literals may look like numbers or dates and do not sort like them."""


def overlap(one: Bound, other: Bound, parent: Table) -> bool:
    """True only when it is sure that some value belongs to both."""
    if one.strategy != other.strategy:
        return False
    if one.strategy == "default":
        return True
    if one.strategy == "list":
        return bool(set(one.values) & set(other.values))
    if one.strategy == "hash":
        return _same_remainder(one, other)
    return _comparable(parent) and _before(one.lower, other.upper) and _before(other.lower, one.upper)


def _same_remainder(one: Bound, other: Bound) -> bool:
    step = gcd(one.modulus, other.modulus)
    return bool(step) and one.remainder % step == other.remainder % step


def _comparable(parent: Table) -> bool:
    columns = parent.partition_by.columns if parent.partition_by else ()
    column = parent.columns.get(columns[0] or "") if len(columns) == 1 else None
    return column is None or parts_of(column.type)[0] not in _TEXTS


def _before(low: tuple[str, ...], high: tuple[str, ...]) -> bool:
    """Whether a lower bound lies below an upper one, by their first columns."""
    if not low or not high or high[0] == "MINVALUE" or low[0] == "MAXVALUE":
        return False
    if low[0] == "MINVALUE" or high[0] == "MAXVALUE":
        return True
    return bool(ordered(low[0], high[0], equal=False))


def is_slip(high: str, low: str) -> bool:
    """Whether the gap from ``high`` to ``low`` is what comes of taking TO for included: 1, or at most a day."""
    try:
        return float(low) - float(high) <= 1
    except ValueError:
        pass
    try:
        return datetime.fromisoformat(low) - datetime.fromisoformat(high) <= timedelta(days=1)
    except (ValueError, TypeError):  # no date; or one with and one without time zone
        return False


def gap_before(after: Table, parent: Table, partitions: tuple[Table, ...]) -> Table | None:
    """The lower neighbour of a range partition if there certainly is a gap between the two, else None."""
    if after.bound is None or after.bound.strategy != "range" or len(after.bound.lower) != 1 or not _comparable(parent):
        return None
    low = after.bound.lower[0]
    below = [p for p in partitions if p.bound and p.bound.strategy == "range" and p.name != after.name]
    if low == "MINVALUE" or any(p.bound and p.bound.upper[0] == low for p in below):
        return None
    nearest: Table | None = None
    for other in below:
        high = other.bound.upper[0] if other.bound else ""
        if not ordered(high, low, equal=False):
            if _before(other.bound.lower, after.bound.lower) if other.bound else False:
                return None  # reaches beyond it, or cannot be compared
            continue
        if nearest is None or (nearest.bound and ordered(nearest.bound.upper[0], high, equal=False)):
            nearest = other
    return nearest
