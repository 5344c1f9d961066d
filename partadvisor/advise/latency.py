"""Where the milliseconds of a transaction go, and whether counters that know nothing of waits say the same.

Little's law: mean sessions in a class ÷ transactions per second is the mean time a transaction spends there. Samples
say *on whom* a session waits; host and I/O counters say how much work was done. Where the two disagree the reader
is told, since then one of them does not mean what it seems to.
"""

from __future__ import annotations

from collections.abc import Iterable

from partadvisor.advise.evidence import Evidence
from partadvisor.advise.thresholds import threshold
from partadvisor.advise.waits import WaitClass
from partadvisor.model.activity import Window
from partadvisor.model.diagnosis import LatencyPart, LatencySplit
from partadvisor.model.snapshot import Snapshot

PARTS: dict[str, tuple[WaitClass, ...]] = {
    "page reads and writes": ("read", "write"),
    "WAL flush": ("wal",),
    "relation extension": ("extend",),
    "other locks and scheduling": ("row", "leaf", "lock_manager", "xid"),
    "CPU or runnable": ("cpu",),
    "application, in a transaction": ("client",),
    "other": ("other",),
}


def latency_split(snapshot: Snapshot, evidence: Evidence) -> LatencySplit | None:
    """The mean transaction in parts; None without samples or a transaction rate."""
    rate = evidence.transactions_per_second
    if evidence.source != "samples" or not rate or not evidence.sessions:
        return None
    whole = 1000 * evidence.sessions / rate
    counted = _counters(snapshot.window, evidence, rate)
    parts = tuple(
        LatencyPart(
            part=name,
            ms=evidence.share(*classes) * whole,
            low=evidence.low(*classes) * whole,
            high=evidence.high(*classes) * whole,
            counter_ms=counted[name][0] if name in counted else None,
            counter=counted[name][1] if name in counted else "",
        )
        for name, classes in PARTS.items()
        if evidence.share(*classes) > 0 or name in counted
    )
    return LatencySplit(transaction_ms=whole, parts=parts, notes=tuple(_notes(parts, evidence)))


def _counters(window: Window | None, evidence: Evidence, rate: float) -> dict[str, tuple[float, str]]:
    """Milliseconds a transaction by counters, with the counter's name."""
    per_transaction: dict[str, tuple[float, str]] = {}
    if evidence.cpu_busy is not None and evidence.cores:
        per_transaction["CPU or runnable"] = (1000 * evidence.cpu_busy * evidence.cores / rate, "host CPU seconds")
    if window is None or window.seconds <= 0:
        return per_transaction
    transactions = rate * window.seconds
    io, wal = window.io, window.wal
    if io and (io.read_ms or io.write_ms):
        spent = (io.read_ms or 0.0) + (io.write_ms or 0.0)
        per_transaction["page reads and writes"] = (spent / transactions, "pg_stat_io")
    if io and io.extend_ms:
        per_transaction["relation extension"] = (io.extend_ms / transactions, "pg_stat_io, the file call alone")
    if wal and (wal.sync_ms or wal.write_ms):
        spent = (wal.sync_ms or 0.0) + (wal.write_ms or 0.0)
        per_transaction["WAL flush"] = (spent / transactions, "WAL write and sync time, by whoever did it")
    return per_transaction


def _notes(parts: Iterable[LatencyPart], evidence: Evidence) -> Iterable[str]:
    """Sentences on what the two views together say. A part nobody counted has none."""
    for part in parts:
        if part.counter_ms is None:
            continue
        if part.part == "CPU or runnable":
            yield from _on_cpu(part, part.counter_ms, evidence)
        elif part.part == "page reads and writes" and _apart(part, part.counter_ms):
            yield (
                f"Sampled waits make {part.ms:.2g} ms of page reads and writes a transaction, pg_stat_io counted "
                f"{part.counter_ms:.2g} ms: {_why_reads(part, part.counter_ms)}."
            )


def _on_cpu(part: LatencyPart, used: float, evidence: Evidence) -> Iterable[str]:
    if not _apart(part, used):
        return
    if part.ms > used:
        yield (
            f"Of {part.ms:.2g} ms without a wait event only {used:.2g} ms were CPU time: "
            f"{'sessions waited for a core' if _full(evidence) else 'the rest is time the server does not name'}."
        )
    else:
        yield (
            f"The host used {used:.2g} ms of CPU a transaction, the samples show {part.ms:.2g} ms without a wait "
            "event: the rest is background processes, other programs, or sessions that work while they show a wait."
        )


def _full(evidence: Evidence) -> bool:
    return (evidence.cpu_busy or 0.0) > threshold("diagnosis.cpu_busy")


def _why_reads(part: LatencyPart, counted: float) -> str:
    if part.ms > counted:
        return "several sessions waited for the same page, or track_io_timing was off for a part"
    return "reads too short to be seen waiting, answered by the operating system's cache"


def _apart(part: LatencyPart, counted: float) -> bool:
    """Whether the counter lies clearly outside the sampled interval, and the difference is worth a word."""
    slack = threshold("latency.counter_slack")
    return counted > part.high * (1 + slack) + 0.05 or counted < part.low * (1 - slack) - 0.05
