"""What a caller may ask of ``collect``; apart from the work itself so that the front end loads no driver for it."""

from __future__ import annotations

from pathlib import Path

from partadvisor.model.base import Value


class CollectOptions(Value, frozen=True, kw_only=True):
    """Options of one collection.

    Attributes:
        duration: seconds of the window; 0 reads the catalog and the cumulative counters only.
        interval_ms: time between two looks at the sessions.
        schema_pattern: shell-style pattern of schema names (``*`` and ``?``); all user schemas by default.
        queries: a workload file to add to what the server tells.
        log_line_prefix: of the server whose log ``queries`` is, None to find it out.
        logs: server logs to search for extension waits.
        host_cpu: busy share of the database host's processors (0..1), when the user knows it.
        cores: processors of the database host, when the user knows it.
        redact: keep hashes instead of values.
        statement_timeout_ms: for each statement of ours.
        lock_timeout_ms: how long a statement of ours may queue behind somebody's ACCESS EXCLUSIVE lock.
        hot_tables: for how many tables, by inserts in the window, recent rows are read; a partition tree is one.
        recent_rows: at about that many rows of each the reading stops.
        statements: at most that many statement texts.
    """

    duration: float = 20.0
    interval_ms: float = 100.0
    schema_pattern: str | None = None
    queries: Path | None = None
    log_line_prefix: str | None = None
    logs: tuple[Path, ...] = ()
    host_cpu: float | None = None
    cores: int | None = None
    redact: bool = False
    statement_timeout_ms: int = 30_000
    lock_timeout_ms: int = 500
    hot_tables: int = 10
    recent_rows: int = 5_000
    statements: int = 20_000
