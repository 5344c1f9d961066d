"""How many range partitions lie between the bounds of a condition."""

from __future__ import annotations

import datetime

from partadvisor.advise.range_buckets import as_number, bucket_of
from partadvisor.model.scheme import RangeLevel
from partadvisor.model.workload import Comparison
from partadvisor.pg import knowledge

_DAYS = {"hour": 1 / 24, "day": 1.0, "week": 7.0, "month": 30.44, "quarter": 91.3, "year": 365.25}


def range_width(bounds: list[Comparison], level: RangeLevel, total: int) -> float:
    """Partitions between the bounds; what a statement does not say is assumed (``rules/read_cost.toml``)."""
    limits = knowledge.load("read_cost.toml")
    lower = [c for c in bounds if c.operator in (">", ">=")]
    upper = [c for c in bounds if c.operator in ("<", "<=")]
    if lower and upper:
        width = _between(_constant(lower[0]), _constant(upper[0]), level)
        return min(total, float(limits["range_partitions"]) if width is None else width)
    if lower and any(o.kind == "stable" for o in lower[0].operands):
        return min(total, float(limits["range_partitions"]))  # "the last days": the newest partitions
    return max(1.0, float(limits["open_range_share"]) * total)


def _constant(comparison: Comparison) -> str | None:
    operands = comparison.operands
    return operands[0].value if len(operands) == 1 and operands[0].kind == "constant" else None


def _between(low: str | None, high: str | None, level: RangeLevel) -> float | None:
    if low is None or high is None:
        return None
    if level.interval is not None:
        return _calendar_width(low, high, level.interval)
    first, last = bucket_of(low, level), bucket_of(high, level)
    if isinstance(first, int) and isinstance(last, int):
        return max(1.0, last - first + 1.0)
    numbers = as_number(low), as_number(high)
    if level.step and numbers[0] is not None and numbers[1] is not None:
        return max(1.0, (numbers[1] - numbers[0]) / level.step + 1)
    return None


def _calendar_width(low: str, high: str, interval: str) -> float | None:
    try:
        first, last = (datetime.datetime.fromisoformat(v) for v in (low, high))
        days = (last - first).total_seconds() / 86_400
    except (ValueError, TypeError):
        return None
    return max(1.0, days / _DAYS[interval] + 1)
