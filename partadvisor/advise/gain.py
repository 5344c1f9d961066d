"""Upper bounds on what the removal of a queue could buy, before any candidate is looked at.

Three bounds, the smallest counts: Amdahl's (with the same clients, the time in the queue is gone, the rest stays),
the utilisation law (throughput cannot rise beyond what the busiest resource has left), and the number of clients.
They are bounds on throughput with clients that always have work; an application with fewer requests than that gains
response time instead.
"""

from __future__ import annotations

from typing import Literal

from partadvisor.advise.evidence import Evidence
from partadvisor.advise.thresholds import threshold
from partadvisor.advise.waits import WaitClass
from partadvisor.model.diagnosis import GainLimit

_NEXT: dict[WaitClass, str] = {
    "cpu": "cpu",
    "read": "storage_reads",
    "write": "storage_writes",
    "wal": "wal",
    "row": "row_locks",
    "leaf": "index_leaf",
    "lock_manager": "lock_manager",
    "xid": "transaction_ids",
    "client": "client",
    "extend": "extension",
    "other": "other",
}


def amdahl(share: float) -> float:
    """Gain when ``share`` of the session time vanishes and the rest stays as it is; at most 100."""
    return 1 / max(0.01, 1 - share)


def gain_limit(evidence: Evidence, removed: tuple[WaitClass, ...]) -> GainLimit:
    """Low, expected and high ratio new ÷ old of throughput if nobody waited in these classes any more.

    Low: lower limits of the shares, idle connections count as clients that think, the CPU a transaction takes stays
    as it is. High: upper limits, queues behind the queue (index leaf, row locks) vanish with it, and a fifth of the
    CPU time with the sleeping and waking.
    """
    present = evidence.sessions / (evidence.sessions + evidence.thinking) if evidence.sessions else 1.0
    behind: tuple[WaitClass, ...] = tuple(dict.fromkeys((*removed, "leaf", "row"))) if "extend" in removed else removed
    low = min(amdahl(evidence.low(*removed) * present), cpu_room(evidence, "low"))
    expected_amdahl, room = amdahl(evidence.share(*removed)), cpu_room(evidence, "value")
    high = min(amdahl(evidence.high(*behind)), cpu_room(evidence, "high"))
    low *= 1 - _bulk_loss(evidence, removed)
    expected = min(expected_amdahl, room)
    following = "cpu" if room < expected_amdahl else next_queue(evidence, removed)
    return GainLimit(low=min(low, expected), expected=expected, high=max(high, expected), next_bottleneck=following)


def cpu_room(evidence: Evidence, end: Literal["low", "value", "high"]) -> float:
    """By how much the CPU lets throughput rise: 1 ÷ busy share, corrected for waiting that costs CPU itself."""
    busy = evidence.cpu_busy if evidence.cpu_busy is not None else threshold("gain.unknown_cpu", end)
    return max(1.0, 1 / max(busy, 0.01) / (1 - cpu_relief(evidence, end)))


def cpu_relief(evidence: Evidence, end: Literal["low", "value", "high"]) -> float:
    """Share of a transaction's CPU time that goes with the sleeping and waking in an extension queue.

    Measured with most sessions in the queue; a shorter one has less of it to give.
    """
    full = threshold("gain.cpu_relief_working_lock" if lock_works(evidence) else "gain.cpu_relief", end)
    return full * min(1.0, 2 * evidence.share("extend"))


def lock_works(evidence: Evidence) -> bool | None:
    """Whether an extension lock is busy nearly all the time, and busy with extending rather than waiting for a core.

    This tells a queue that limits from one that only shows a full CPU. None when the server does not time extensions
    (``track_io_timing``, ``pg_stat_io`` of 16 and later) or nobody sampled the lock.
    """
    held = _held(evidence)
    if evidence.lock_io_busy is None or held is None:
        return None
    return held >= threshold("diagnosis.lock_busy") and lock_work(evidence) >= threshold("diagnosis.lock_work")


def lock_work(evidence: Evidence) -> float:
    """Share of the busiest extension lock's busy time in which the file was being extended; 0 when not known."""
    held = _held(evidence)
    return min(1.0, (evidence.lock_io_busy or 0.0) / held) if held else 0.0


def _held(evidence: Evidence) -> float | None:
    return max((t.lock_busy for t in evidence.tables if t.lock_busy is not None), default=None)


def next_queue(evidence: Evidence, removed: tuple[WaitClass, ...]) -> str:
    """The largest class that stays, in the words of the verdicts."""
    rest: dict[WaitClass, float] = {c: e.share for c, e in evidence.shares.items() if c not in (*removed, "other")}
    return _NEXT[max(rest, key=lambda c: rest[c])] if rest and max(rest.values()) > 0 else "client"


def bulk_extension_works(evidence: Evidence) -> bool | None:
    """Whether a longer queue makes an extension add more pages; None when the server does not count it."""
    if evidence.pages_per_extension is None:
        return None
    return evidence.pages_per_extension >= threshold("extension.bulk_pages")


def _bulk_loss(evidence: Evidence, removed: tuple[WaitClass, ...]) -> float:
    """A short queue extends by fewer pages a time; with the CPU full that work costs throughput."""
    full = evidence.cpu_busy is None or evidence.cpu_busy > threshold("diagnosis.cpu_busy")
    return threshold("gain.bulk_loss") if "extend" in removed and full and bulk_extension_works(evidence) else 0.0
