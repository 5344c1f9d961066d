"""What was seen over a time window: sampled sessions, counter deltas, log lines, recent rows.

Durations are milliseconds, rates are left to the reader (delta ÷ ``Window.seconds``).
"""

from __future__ import annotations

from typing import Literal

from partadvisor.model.base import Value


class ExtensionWait(Value, frozen=True, kw_only=True):
    """Who holds and who waits for one relation's extension lock in one sample.

    ``relation`` is ``schema.name`` of the relation being extended (heap, index or TOAST), ``table`` the
    table it is folded to, ``via`` which of the three it is.
    """

    relation: str
    table: str
    via: Literal["heap", "index", "toast"]
    waiters: int
    holders: int


class RowWait(Value, frozen=True, kw_only=True):
    """Sessions that wait for a row or transaction lock on one table in one sample."""

    table: str
    waiters: int


class ActivitySample(Value, frozen=True, kw_only=True):
    """One look at ``pg_stat_activity`` (client backends except ours).

    ``waits`` counts *active* sessions by ``type:event`` with ``CPU`` for no wait event;
    idle-in-transaction sessions are counted apart. Holders without waiters are seen only where ``locks_read``
    (pg_locks is costly and not read at every look); waiters always are.
    """

    at_ms: float
    waits: dict[str, int]
    idle_in_transaction: int = 0
    idle: int = 0
    extension: tuple[ExtensionWait, ...] = ()
    row_waits: tuple[RowWait, ...] = ()
    locks_read: bool = True

    @property
    def active(self) -> int:
        """Number of active sessions."""
        return sum(self.waits.values())


class TableDelta(Value, frozen=True, kw_only=True):
    """Growth and row counters of one table over the window (all partitions apart)."""

    table: str
    inserted: int = 0
    updated: int = 0
    hot_updated: int = 0
    deleted: int = 0
    heap_bytes: int = 0
    index_bytes: int = 0
    toast_bytes: int = 0


class IoDelta(Value, frozen=True, kw_only=True):
    """Sum of ``pg_stat_io`` over client backends (16+). ``extend_ops`` counts blocks on 16 and 17, calls on 18."""

    extend_ops: int = 0
    extend_bytes: int | None = None
    extend_ms: float | None = None
    reads: int = 0
    read_ms: float | None = None
    writes: int = 0
    write_ms: float | None = None
    fsyncs: int = 0


class WalDelta(Value, frozen=True, kw_only=True):
    """``pg_stat_wal`` (14+) over the window; times only where the version and settings have them."""

    records: int = 0
    full_page_images: int = 0
    bytes: int = 0
    buffers_full: int = 0
    syncs: int | None = None
    sync_ms: float | None = None
    write_ms: float | None = None


class StatementDelta(Value, frozen=True, kw_only=True):
    """One row of ``pg_stat_statements``: totals over the window, or since reset when ``cumulative``.

    ``parameters`` are the values of ``$1``, ``$2``, … of some executions, where a log had them.
    """

    query_id: str
    text: str
    calls: float
    total_ms: float = 0.0
    plan_ms: float = 0.0
    rows: float = 0.0
    shared_reads: int = 0
    wal_bytes: int = 0
    name: str | None = None
    parameters: tuple[tuple[str | None, ...], ...] = ()


class LogWait(Value, frozen=True, kw_only=True):
    """A log line about an extension lock wait.

    ``ended`` is true for "acquired" lines, whose ``wait_ms`` is the whole wait. ``queue`` counts the waiting
    processes of the DETAIL line, 0 when there was none.
    """

    at: str
    pid: int
    relation: str
    table: str
    via: Literal["heap", "index", "toast", "unknown"]
    wait_ms: float
    ended: bool
    queue: int = 0
    file: str = ""
    line: int = 0


class RecentRows(Value, frozen=True, kw_only=True):
    """The most recently inserted rows of one table, read from the tail of its heap.

    ``rows`` are text values in the order of ``columns``; ``statements`` gives, row by row, the number of the
    statement that inserted it (rows of one xmin and cmin), ``transactions`` that of its transaction; both count
    from 0 in order of appearance. In a redacted snapshot ``values_hashed`` is true: each value is then the
    decimal partition hash of the original, and ``ranks`` holds per column the order of the values.
    """

    table: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str | None, ...], ...]
    transactions: tuple[int, ...]
    statements: tuple[int, ...]
    pages_read: int = 0
    values_hashed: bool = False
    ranks: tuple[tuple[int | None, ...], ...] = ()


class Window(Value, frozen=True, kw_only=True):
    """Everything observed between the first and the last look."""

    seconds: float
    interval_ms: float
    started_at: str
    samples: tuple[ActivitySample, ...] = ()
    transactions: int = 0
    rollbacks: int = 0
    tables: tuple[TableDelta, ...] = ()
    io: IoDelta | None = None
    wal: WalDelta | None = None
    host_cpu_busy: float | None = None
    host_cpu_source: str = ""
