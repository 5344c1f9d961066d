"""How busy the processors of this host were, for a server that runs on it."""

from __future__ import annotations

from pathlib import Path


def cpu_times() -> tuple[int, int] | None:
    """(busy, total) clock ticks since boot, summed over all processors; None where there is no /proc/stat."""
    try:
        first = Path("/proc/stat").read_text(encoding="ascii").splitlines()[0]
    except OSError:
        return None
    # user nice system idle iowait irq softirq steal; guest time is already part of user time
    ticks = [int(word) for word in first.split()[1:9]]
    idle = ticks[3] + ticks[4]
    return sum(ticks) - idle, sum(ticks)


def busy_share(before: tuple[int, int] | None, after: tuple[int, int] | None) -> float | None:
    """Busy share of the time between two readings, 0..1; stolen time counts as busy, since it was not ours to use."""
    if before is None or after is None or after[1] <= before[1]:
        return None
    return round((after[0] - before[0]) / (after[1] - before[1]), 4)
