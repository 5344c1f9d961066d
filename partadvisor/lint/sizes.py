"""How long work on a relation takes, and which relations nobody minds: rough speeds from ``rules/review.toml``."""

from __future__ import annotations

from partadvisor.lint.context import Hit
from partadvisor.lint.registry import Record
from partadvisor.lint.tables import Table
from partadvisor.pg import knowledge

_MEBI = 1024 * 1024


def is_quiet(table: Table, quiet: tuple[str, ...]) -> bool:
    """Whether a rule with this ``quiet`` has nothing to say about the table."""
    if "new" in quiet and (table.new or (table.created is not None and not table.filled)):
        return True
    small, idle = _small(table), _idle(table)
    return ("small" in quiet and small) or ("idle" in quiet and idle) or ("small and idle" in quiet and small and idle)


def _small(table: Table) -> bool:
    limit = knowledge.load("review.toml")["small"]["bytes"]
    return table.bytes is not None and table.bytes <= limit


def _idle(table: Table) -> bool:
    if table.reads_per_second is None or table.writes_per_second is None:
        return False
    limit = knowledge.load("review.toml")["small"]["per_second"]
    return bool(table.reads_per_second + table.writes_per_second <= limit)


def duration(record: Record, hit: Hit) -> str:
    """``during a scan of 48 GB (1 to 8 min)``; without a size only what it grows with."""
    if not record.work:
        return ""
    if record.work == "wait":
        return "until the transactions that are open now have ended"
    words = {"scan": "a scan", "rewrite": "a rewrite", "index build": "an index build"}[record.work]
    table = hit.scanned
    if table is None or table.bytes is None:
        return f"during {words} of the whole table"
    slow, fast = knowledge.load("review.toml")["megabytes_per_second"][record.work.replace(" ", "_")]
    megabytes = table.bytes / _MEBI
    return f"during {words} of {size_text(table.bytes)} ({_time(megabytes / fast, megabytes / slow)})"


def size_text(size: int) -> str:
    """``48 GB`` as ``pg_size_pretty`` counts (1 GB is 1024 MB)."""
    value = float(size)
    for unit in ("bytes", "kB", "MB", "GB", "TB"):
        if value < 1024 or unit == "TB":
            return f"{value:.0f} {unit}" if value >= 10 or unit == "bytes" else f"{value:.1f} {unit}"
        value /= 1024
    return ""


def _time(low: float, high: float) -> str:
    if high < 1:
        return "less than a second"
    for limit, divisor, unit in ((120, 1, "s"), (7200, 60, "min"), (float("inf"), 3600, "h")):
        if high < limit:
            first, last = max(1, round(low / divisor)), max(1, round(high / divisor))
            return f"about {first} {unit}" if first == last else f"{first} to {last} {unit}"
    return ""
