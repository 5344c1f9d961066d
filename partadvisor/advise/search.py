"""Offsets of a level that a comparison with known values leaves: what the server's bound searches return.

Which offsets the server keeps is a little more than what could hold a row; each rule here was compared with EXPLAIN.
"""

from __future__ import annotations

import bisect
import operator
from collections.abc import Callable, Hashable, Sequence
from typing import Any, Literal

from partadvisor.advise.layout import DEFAULT, MAXVALUE, MINVALUE, NULLS, Bound, ListParts, Offsets, RangeParts

Strategy = Literal["<", "<=", "=", ">=", ">"]
NOTHING: Offsets = frozenset()
_TESTS: dict[Strategy, Callable[[Any, Any], bool]] = {
    "<": operator.lt, "<=": operator.le, ">=": operator.ge, ">": operator.gt
}  # fmt: skip


def default_of(parts: ListParts | RangeParts) -> Offsets:
    """The DEFAULT partition, if there is one."""
    return NOTHING if parts.default is None else frozenset((DEFAULT,))


def nulls(parts: ListParts | RangeParts) -> Offsets:
    """Where a NULL key is: only a list partition can name it, else it is in DEFAULT."""
    if isinstance(parts, ListParts) and parts.null_part is not None:
        return frozenset((NULLS,))
    return default_of(parts)


def not_nulls(parts: ListParts | RangeParts) -> Offsets:
    """All but what holds NULL alone: of a range level everything, since DEFAULT holds other rows too."""
    if isinstance(parts, ListParts):
        return frozenset(parts.places) | default_of(parts)
    return frozenset(range(len(parts.parts))) | default_of(parts)


def list_equal(parts: ListParts, key: Hashable) -> Offsets:
    """The value's own offset, else DEFAULT."""
    return frozenset((key,)) if key in parts.places else default_of(parts)


def list_differs(parts: ListParts, key: Hashable) -> Offsets:
    """All values but one; NULL differs from nothing."""
    return (frozenset(parts.places) - {key}) | default_of(parts)


def list_range(parts: ListParts, strategy: Strategy, key: Any) -> Offsets:
    """Listed values on one side, and DEFAULT, which may hold any other; the type's order must be known."""
    ordered = parts.ordered or ()
    return frozenset(v for v in ordered if _TESTS[strategy](v, key)) | default_of(parts)


def range_search(parts: RangeParts, strategy: Strategy, values: Sequence[Any]) -> Offsets:
    """Ranges left by comparing the first ``len(values)`` key columns with these keys."""
    if not parts.bounds:
        return default_of(parts)
    sought: Bound = tuple((0, value) for value in values)
    partial = len(values) < len(parts.columns)
    low, high = _edges(parts, strategy, sought, partial)
    low, high = _without_the_outside(parts, len(values), low, high)
    found = frozenset(range(low, high + 1))
    return found | default_of(parts) if partial else found


def _edges(parts: RangeParts, strategy: Strategy, sought: Bound, partial: bool) -> tuple[int, int]:
    """First and last range; of a prefix several bounds may be equal to what is sought."""
    below, through = _position(parts.bounds, sought)
    last = len(parts.bounds)
    if strategy == "=":
        if not partial:
            return through, through
        starts_there = below < through and parts.bounds[below][len(sought)] == MINVALUE
        return below + starts_there, through
    if partial and below < through:
        below, through = _reached(parts.bounds, sought, strategy in ("<", ">="))
    if strategy in (">=", ">"):
        return (below if strategy == ">=" and partial else through), last
    return 0, through if strategy == "<=" else below


def _reached(bounds: Sequence[Bound], sought: Bound, downwards: bool) -> tuple[int, int]:
    """Where the server ends among bounds that are equal to a prefix: not always at the outermost one.

    It steps on from the first equal bound its bisection meets, but never from the first or the last bound of all. So
    it keeps a range too many, or (``<=`` where the lowest bound has the prefix) one too few: then rows are lost.
    """
    low, high, width = -1, len(bounds) - 1, len(sought)
    while low < high:
        middle = (low + high + 1) // 2
        if bounds[middle][:width] == sought:
            low = middle
            break
        low, high = (middle, high) if bounds[middle][:width] < sought else (low, middle - 1)
    step = -1 if downwards else 1
    while 1 <= low < len(bounds) - 1 and bounds[low + step][:width] == sought:
        low += step
    return low, low + 1


def _position(bounds: Sequence[Bound], sought: Bound) -> tuple[int, int]:
    """How many bounds are below what is sought, and how many are not above it, by the columns that are given."""
    width = len(sought)

    def prefix(bound: Bound) -> Bound:
        return bound[:width]

    return bisect.bisect_left(bounds, sought, key=prefix), bisect.bisect_right(bounds, sought, key=prefix)


def _without_the_outside(parts: RangeParts, width: int, low: int, high: int) -> tuple[int, int]:
    """What lies below MINVALUE or above MAXVALUE holds nothing, so DEFAULT is not looked at for it."""
    last = len(parts.bounds)
    if low < last and parts.parts[low] is None and parts.bounds[low][width - 1] == MINVALUE:
        low += 1
    if high >= 1 and parts.parts[high] is None and parts.bounds[high - 1][width - 1] == MAXVALUE:
        high -= 1
    return low, high
