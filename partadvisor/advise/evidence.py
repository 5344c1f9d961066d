"""Gathers what a snapshot knows about waiting, wherever it came from, into one set of numbers.

Sampled sessions come first, then shares told by the user, then log lines. A share is of *session time*: sessions
that are active or idle inside a transaction. What sits outside a transaction is counted apart, as thinking clients.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

import msgspec

from partadvisor.advise import waits
from partadvisor.advise.intervals import Estimate, share_estimate
from partadvisor.advise.log_timeline import log_timeline
from partadvisor.advise.table_waits import table_waits
from partadvisor.advise.thresholds import threshold
from partadvisor.advise.waits import IDLE_IN_TRANSACTION, WaitClass
from partadvisor.model.activity import ActivitySample, Window
from partadvisor.model.diagnosis import TableWait, WaitShare
from partadvisor.model.snapshot import Assumed, Snapshot

Source = Literal["samples", "assumed", "log", "nothing"]
_PAGE = 8192


class Evidence(msgspec.Struct, frozen=True, kw_only=True):
    """Numbers the rules decide by.

    ``sessions`` is the mean number inside a statement or transaction, ``thinking`` of idle connections;
    ``lock_io_busy`` the share of time some session was in the file extension call itself (from ``pg_stat_io``).
    """

    source: Source
    shares: dict[WaitClass, Estimate]
    waits: tuple[WaitShare, ...] = ()
    tables: tuple[TableWait, ...] = ()
    samples: int = 0
    seconds: float | None = None
    active: float = 0.0
    sessions: float = 0.0
    thinking: float = 0.0
    transactions_per_second: float | None = None
    cpu_busy: float | None = None
    cores: int | None = None
    pages_per_extension: float | None = None
    lock_io_busy: float | None = None
    log_waits: int = 0
    log_longest_ms: float = 0.0
    log_queue: int = 0

    def share(self, *classes: WaitClass) -> float:
        """Share of session time in these classes together."""
        return sum(self.shares[c].share for c in classes if c in self.shares)

    def low(self, *classes: WaitClass) -> float:
        """Lower 95 % limit of the same (errors of classes added as if independent)."""
        return max(0.0, self.share(*classes) - self._error(classes, upper=False))

    def high(self, *classes: WaitClass) -> float:
        """Upper 95 % limit of the same."""
        return min(1.0, self.share(*classes) + self._error(classes, upper=True))

    def _error(self, classes: Iterable[WaitClass], *, upper: bool) -> float:
        known = [self.shares[c] for c in classes if c in self.shares]
        return float(sum(((e.high - e.share) if upper else (e.share - e.low)) ** 2 for e in known) ** 0.5)

    @property
    def effective(self) -> float:
        """Independent samples behind the largest class."""
        return max(self.shares.values(), key=lambda e: e.share).effective if self.shares else 0.0


def gather(snapshot: Snapshot) -> Evidence:
    """The numbers of a snapshot. Sampled sessions win over told shares, those over log lines."""
    window, assumed = snapshot.window, snapshot.assumed
    cpu = window.host_cpu_busy if window else None
    timeline = log_timeline(snapshot.log_waits)
    common = Evidence(
        source="nothing",
        shares={},
        tables=table_waits(snapshot),
        cpu_busy=cpu if cpu is not None or assumed is None else assumed.host_cpu_busy,
        cores=snapshot.server.cores,
        seconds=window.seconds if window else None,
        transactions_per_second=_transactions_per_second(window),
        pages_per_extension=pages_per_extension(window, snapshot.server.major),
        lock_io_busy=_lock_io_busy(window),
        log_waits=timeline.waits if timeline else len(snapshot.log_waits),
        log_longest_ms=max((line.wait_ms for line in snapshot.log_waits), default=0.0),
        log_queue=max((line.queue for line in snapshot.log_waits), default=0),
    )
    if window is not None and window.samples:
        return _sampled(common, window.samples)
    if assumed is not None and assumed.waits:
        return _told(common, assumed)
    return msgspec.structs.replace(common, source="log") if snapshot.log_waits else common


def pages_per_extension(window: Window | None, major: int) -> float | None:
    """Pages added by one extension, over all relations; only 18 and later count both calls and bytes."""
    io = window.io if window else None
    if io is None or major < 18 or not io.extend_ops or io.extend_bytes is None:
        return None
    return io.extend_bytes / _PAGE / io.extend_ops


def _transactions_per_second(window: Window | None) -> float | None:
    if window is None or window.seconds <= 0 or not window.transactions + window.rollbacks:
        return None
    return (window.transactions + window.rollbacks) / window.seconds


def _lock_io_busy(window: Window | None) -> float | None:
    if window is None or window.io is None or not window.io.extend_ms or window.seconds <= 0:
        return None
    return window.io.extend_ms / 1000 / window.seconds


def _sampled(common: Evidence, samples: tuple[ActivitySample, ...]) -> Evidence:
    n = len(samples)
    totals = [float(s.active + s.idle_in_transaction) for s in samples]
    counted = [waits.by_class({**s.waits, IDLE_IN_TRANSACTION: s.idle_in_transaction}) for s in samples]
    present = [c for c in waits.CLASSES if any(row.get(c) for row in counted)]
    shares = {c: share_estimate([row.get(c, 0.0) for row in counted], totals) for c in present}
    sessions = sum(totals) / n
    return msgspec.structs.replace(
        common,
        source="samples",
        shares=shares,
        waits=_wait_shares(shares, _mean_events(samples), sessions),
        samples=n,
        active=sum(s.active for s in samples) / n,
        sessions=sessions,
        thinking=sum(s.idle for s in samples) / n,
    )


def _mean_events(samples: tuple[ActivitySample, ...]) -> dict[str, float]:
    sums: dict[str, float] = {}
    for sample in samples:
        for event, count in (*sample.waits.items(), (IDLE_IN_TRANSACTION, sample.idle_in_transaction)):
            sums[event] = sums.get(event, 0.0) + count
    return {event: total / len(samples) for event, total in sums.items() if total}


def _told(common: Evidence, assumed: Assumed) -> Evidence:
    events: dict[str, float] = {}
    for wait in assumed.waits:
        events[wait.event] = events.get(wait.event, 0.0) + wait.share
    total = sum(events.values())
    if total < 1:
        events["not told"] = 1 - total
    half = threshold("diagnosis.assumed_half_width")
    whole = max(total, 1.0)
    shares = {
        c: Estimate(share=s / whole, low=max(0.0, s / whole - half), high=min(1.0, s / whole + half), effective=0.0)
        for c, s in waits.by_class(events).items()
        if s > 0
    }
    sessions = float(assumed.clients or 0)
    means = {event: share / whole * sessions for event, share in events.items()}
    return msgspec.structs.replace(
        common,
        source="assumed",
        shares=shares,
        waits=_wait_shares(shares, means, sessions),
        active=sessions,
        sessions=sessions,
    )


def _wait_shares(shares: dict[WaitClass, Estimate], events: dict[str, float], sessions: float) -> tuple[WaitShare, ...]:
    """Classes by falling share; ``events`` are mean sessions by event."""
    found = [
        WaitShare(
            wait_class=c,
            share=e.share,
            low=e.low,
            high=e.high,
            sessions=e.share * sessions,
            events={
                name: mean
                for name, mean in sorted(events.items(), key=lambda item: -item[1])
                if waits.classify(name) == c
            },
        )
        for c, e in shares.items()
    ]
    return tuple(sorted(found, key=lambda w: -w.share))
