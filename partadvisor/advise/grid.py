"""How many partitions of an open level lie between values: its bounds are not known, at most the distance of two."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from partadvisor.advise.layout import OpenParts
from partadvisor.advise.operands import UNKNOWN
from partadvisor.advise.pick import Pick, exact, intersection
from partadvisor.advise.range_buckets import bucket_of, is_lower_bound
from partadvisor.model.scheme import ListLevel, RangeLevel
from partadvisor.model.workload import Comparison
from partadvisor.pg import knowledge

if TYPE_CHECKING:
    from partadvisor.advise.level_view import LevelView

_LOWER, _UPPER = (">", ">="), ("<", "<=")


def grid_pick(comparisons: Sequence[Comparison], at: LevelView, parts: OpenParts) -> Pick | None:
    """What comparisons leave of a level with open bounds; only its leading column tells anything."""
    first = [c for c in comparisons if c.column == parts.columns[0]]
    picks = [_one_value(c, at, parts) for c in first if c.operator == "="]
    if isinstance(parts.level, ListLevel):
        different = [c for c in first if c.operator == "<>"]
        picks += [Pick(max(1.0, parts.total - 1.0), at.because(c), None, certain=False) for c in different]
    bounds = [c for c in first if c.operator in _LOWER + _UPPER]
    if bounds:
        picks.append(_between(bounds, at, parts))
    return intersection(picks, parts)


def guessed_range(bounds: Sequence[Comparison], at: LevelView) -> Pick:
    """Partitions between bounds that are not all known; what is not said is assumed (``rules/read_cost.toml``)."""
    limits = knowledge.load("read_cost.toml")
    lower = [c for c in bounds if c.operator in _LOWER]
    upper = [c for c in bounds if c.operator in _UPPER]
    recent = bool(lower) and any(o.kind == "stable" for o in lower[0].operands)
    if lower and (upper or recent):  # an interval, or "the last days"
        count = min(at.parts.total, float(limits["range_partitions"]))
    else:
        count = max(1.0, float(limits["open_range_share"]) * at.parts.total)
    return Pick(count, at.because(*bounds), None, certain=False, ranged=True)


def _one_value(comparison: Comparison, at: LevelView, parts: OpenParts) -> Pick:
    why, value = at.because(comparison), at.value(comparison.column, comparison.operands[0])
    if value is UNKNOWN or value.text is None:
        return Pick(1.0, why, None, parts.covers)
    if isinstance(parts.level, RangeLevel):
        place = bucket_of(value.text, parts.level)
        return Pick(1.0, why, None, parts.covers) if place is None else exact(parts, frozenset((place,)), why)
    return exact(parts, frozenset((("value", at.equality(comparison.column, value)),)), why)


def _between(bounds: Sequence[Comparison], at: LevelView, parts: OpenParts) -> Pick:
    """Between two constants the number of partitions follows from the interval or the step."""
    first = _edge([c for c in bounds if c.operator in _LOWER], at, parts)
    last = _edge([c for c in bounds if c.operator in _UPPER], at, parts)
    if first is None or last is None:
        return guessed_range(bounds, at)
    return exact(parts, frozenset(range(first, min(last, first + parts.total - 1) + 1)), at.because(*bounds))


def _edge(comparisons: Sequence[Comparison], at: LevelView, parts: OpenParts) -> int | None:
    """Number of the outermost partition that a known bound leaves."""
    level = parts.level
    for comparison in comparisons:
        value = at.value(comparison.column, comparison.operands[0])
        if value is UNKNOWN or value.text is None or not isinstance(level, RangeLevel):
            continue
        bucket = bucket_of(value.text, level)
        if bucket is not None and comparison.operator == "<" and is_lower_bound(value.text, level):
            return bucket - 1
        return bucket
    return None
