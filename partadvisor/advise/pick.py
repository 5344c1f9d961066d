"""A choice among the partitions of one level, and how choices combine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from partadvisor.advise.layout import Offsets, Parts, count_of


@dataclass(frozen=True, slots=True)
class Pick:
    """``count`` partitions. ``offsets`` say which, when all values are known; None when only the count is.

    ``certain`` is false where the count is an estimate, because it depends on values the statement does not tell;
    ``ranged`` where that is a range, which may leave nothing at all.
    """

    count: float
    why: str
    offsets: Offsets | None = None
    certain: bool = True
    ranged: bool = False


def exact(parts: Parts, offsets: Offsets, why: str) -> Pick:
    """A choice whose values are known."""
    return Pick(float(count_of(parts, offsets)), why, offsets)


def empty(why: str) -> Pick:
    """No partition at all."""
    return Pick(0.0, why, frozenset())


def intersection(picks: Sequence[Pick], parts: Parts) -> Pick | None:
    """AND: offsets that all known choices share; of unknown ones the narrowest counts. None without any choice."""
    if len(picks) < 2:
        return picks[0] if picks else None
    narrowest = min(picks, key=lambda p: (p.count, p.offsets is None))
    known = [p.offsets for p in picks if p.offsets is not None]
    if not known:
        return Pick(narrowest.count, narrowest.why, None, certain=False)
    common = exact(parts, frozenset.intersection(*known), _reasons(picks))
    if len(known) == len(picks) or common.count <= (not any(p.ranged for p in picks)):
        return common
    return Pick(min(narrowest.count, common.count), narrowest.why, None, certain=False)


def union(picks: Sequence[Pick | None], parts: Parts) -> Pick | None:
    """OR: every arm must choose; an unknown value may fall into a partition that is counted already."""
    found = [p for p in picks if p is not None]
    if len(found) < len(picks):
        return None
    if len(found) < 2:
        return found[0] if found else empty("an empty list of values")
    known = [p.offsets for p in found if p.offsets is not None]
    together = exact(parts, frozenset().union(*known), _reasons(found, " or "))
    if len(known) == len(found):
        return together
    count = together.count
    for pick in found:
        if pick.offsets is None:
            count += pick.count * (1 - count / parts.total)
    return Pick(count, found[0].why, None, certain=False)


def _reasons(picks: Sequence[Pick], between: str = " and ") -> str:
    different = list(dict.fromkeys(p.why for p in picks))
    return between.join(different) if len(different) < 4 else f"{different[0]}{between}{len(different) - 1} more"
