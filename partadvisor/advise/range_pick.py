"""How many range partitions lie between the bounds of a condition."""

from __future__ import annotations

from partadvisor.advise.range_buckets import bucket_of, is_lower_bound
from partadvisor.model.scheme import RangeLevel
from partadvisor.model.workload import Comparison
from partadvisor.pg import knowledge


def range_edges(bounds: list[Comparison], level: RangeLevel) -> tuple[int, int] | None:
    """Numbers of the first and the last partition between constant bounds; None when a side is not known."""
    lower = [c for c in bounds if c.operator in (">", ">=")]
    upper = [c for c in bounds if c.operator in ("<", "<=")]
    first, last = _edge(lower, level), _edge(upper, level)
    if level.at:  # partitions 0 to len(at): an open side is known too
        first = 0 if not lower else first
        last = len(level.at) if not upper else last
    return None if first is None or last is None else (first, last)


def range_width(bounds: list[Comparison], total: int) -> float:
    """Partitions between bounds that are not all known; what is not said is assumed (``rules/read_cost.toml``)."""
    limits = knowledge.load("read_cost.toml")
    lower = [c for c in bounds if c.operator in (">", ">=")]
    upper = [c for c in bounds if c.operator in ("<", "<=")]
    if lower and (upper or any(o.kind == "stable" for o in lower[0].operands)):
        return min(total, float(limits["range_partitions"]))  # an interval, or "the last days"
    return max(1.0, float(limits["open_range_share"]) * total)


def _edge(comparisons: list[Comparison], level: RangeLevel) -> int | None:
    """Number of the outermost partition that a constant bound leaves."""
    for comparison in comparisons:
        operands = comparison.operands
        if len(operands) == 1 and operands[0].kind == "constant" and operands[0].value is not None:
            bucket = bucket_of(operands[0].value, level)
            if bucket is not None and comparison.operator == "<" and is_lower_bound(operands[0].value, level):
                return bucket - 1
            return bucket
    return None
