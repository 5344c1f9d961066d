"""Where the time goes. The JSON form of these values is part of the command-line contract."""

from __future__ import annotations

from typing import Literal

import msgspec

from partadvisor.model.base import Value

Verdict = Literal[
    "extension",
    "storage_reads",
    "wal",
    "row_locks",
    "index_leaf",
    "lock_manager",
    "cpu",
    "client",
    "none",
    "insufficient",
]


class WaitShare(Value, frozen=True, kw_only=True):
    """Share of active session time in a wait class, with its 95 % interval (0..1); ``sessions`` is the average."""

    wait_class: str = msgspec.field(name="class")
    share: float
    low: float
    high: float
    sessions: float = 0.0
    events: dict[str, float] = {}


class TableWait(Value, frozen=True, kw_only=True):
    """How one table takes part in the extension queue. ``pages_per_second`` counts pages added (heap, index, TOAST).

    ``lock_busy`` is the share of the time in which somebody held or waited for the lock: its utilisation.
    """

    table: str
    extension_share: float
    via: Literal["heap", "index", "toast"] | None = None
    relation: str | None = None
    inserts_per_second: float | None = None
    pages_per_second: float | None = None
    lock_busy: float | None = None


class GainLimit(Value, frozen=True, kw_only=True):
    """What removing a queue could buy, as a ratio new ÷ old of throughput, and the queue that comes next."""

    low: float
    expected: float
    high: float
    next_bottleneck: str


class LatencyPart(Value, frozen=True, kw_only=True):
    """Mean time of a transaction in one part, in ms, with its 95 % interval; ``counter_ms`` is what a counter says."""

    part: str
    ms: float
    low: float
    high: float
    counter_ms: float | None = None
    counter: str = ""


class LatencySplit(Value, frozen=True, kw_only=True):
    """The mean transaction, in ms from its first statement to its end, in parts that add up to it."""

    transaction_ms: float
    parts: tuple[LatencyPart, ...]
    notes: tuple[str, ...] = ()


class LogRelation(Value, frozen=True, kw_only=True):
    """Logged waits for one relation's extension lock; times as the log's clock shows them."""

    relation: str
    table: str
    waits: int
    waited_s: float
    longest_s: float
    deepest_queue: int
    first: str
    last: str


class LogBucket(Value, frozen=True, kw_only=True):
    """A stretch of time: ``waiting`` is the mean number of sessions in a logged wait."""

    start: str
    waiting: float
    waits: int
    deepest_queue: int


class LogTimeline(Value, frozen=True, kw_only=True):
    """Logged waits by relation, most waited for first, and by time. A lower bound: short waits are not logged."""

    bucket_seconds: float
    waits: int
    relations: tuple[LogRelation, ...]
    buckets: tuple[LogBucket, ...]


class Diagnosis(Value, frozen=True, kw_only=True):
    """The verdict and its evidence. ``confidence`` is 0..1; ``reason`` is the verdict in a sentence."""

    schema_version: int = 1
    verdict: Verdict
    confidence: float
    reason: str
    samples: int
    effective_samples: float = 0.0
    seconds: float | None = None
    active_sessions: float = 0.0
    transactions_per_second: float | None = None
    host_cpu_busy: float | None = None
    cores: int | None = None
    pages_per_extension: float | None = None
    waits: tuple[WaitShare, ...] = ()
    tables: tuple[TableWait, ...] = ()
    latency: LatencySplit | None = None
    log: LogTimeline | None = None
    gain_limit: GainLimit | None = None
    advice: tuple[str, ...] = ()
    assumptions: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
