"""Collects a snapshot: catalog first, then the window between two readings of the counters, then recent rows."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

import partadvisor
from partadvisor.io.collect.catalog import read_catalog, schema_oids
from partadvisor.io.collect.counters import (
    Counters,
    io_delta,
    read_counters,
    table_deltas,
    wal_delta,
)
from partadvisor.io.collect.host import busy_share, cpu_times
from partadvisor.io.collect.logs import open_log, read_log_waits
from partadvisor.io.collect.oids import owners
from partadvisor.io.collect.options import CollectOptions
from partadvisor.io.collect.recent_rows import read_recent_rows
from partadvisor.io.collect.redact import redact
from partadvisor.io.collect.sampling import Look, named, watch
from partadvisor.io.collect.server import Facts, read_server
from partadvisor.io.collect.session import Session
from partadvisor.io.collect.statements import statement_deltas
from partadvisor.io.connect import connect
from partadvisor.io.workload_file import read_workload
from partadvisor.model.activity import ActivitySample, LogWait, RecentRows, Window
from partadvisor.model.catalog import Relation
from partadvisor.model.snapshot import Snapshot, Statements

Progress = Callable[[str, float | None], None]

__all__ = ["CollectOptions", "collect"]

_HOT_ROWS = 20
"""Inserts in the window from which a table's recent rows are worth reading."""
_LEAVES = 8
_LEAF_ROWS = 500


def collect(
    dsn: str,
    options: CollectOptions | None = None,
    progress: Progress = lambda _what, _share: None,
    stop: Callable[[], bool] = lambda: False,
    seen: Callable[[dict[str, int]], None] = lambda _waits: None,
) -> Snapshot:
    """A snapshot of the server behind ``dsn``.

    Args:
        dsn: libpq connection string; its password goes nowhere but to the server.
        options: what to collect.
        progress: called with the name of the step and its share done (0..1).
        stop: asked during the window; once true, the window ends early and what was seen is kept.
        seen: called during the window with the waits of active sessions (as in ``ActivitySample``), look by look.

    Raises:
        UsageError: bad connection string, unreadable log or workload file, or no schema matches.
        ServerError: unreachable, refused, or gone in the middle.
        KeyboardInterrupt: as it came, after the connection was closed.
    """
    options = options or CollectOptions()
    for path in options.logs:
        open_log(path).close()  # a wrong name is told before the window, not after it
    if options.queries:
        open_log(options.queries).close()
    connection = connect(dsn)
    try:
        told = _told(options, connection.info.dbname, progress)
        session = Session(
            connection, statement_timeout_ms=options.statement_timeout_ms, lock_timeout_ms=options.lock_timeout_ms
        )
        snapshot = _collect(session, options, progress, stop, seen)
    finally:
        connection.close()
    snapshot = msgspec.structs.replace(snapshot, statements=(*snapshot.statements, *told))
    return redact(snapshot) if options.redact else snapshot


def _told(options: CollectOptions, database: str, progress: Progress) -> tuple[Statements, ...]:
    """The statements the user gave; of a server log those of this database."""
    if options.queries is None:
        return ()
    return (read_workload(options.queries, prefix=options.log_line_prefix, database=database, progress=progress),)


def _collect(
    session: Session,
    options: CollectOptions,
    progress: Progress,
    stop: Callable[[], bool],
    seen: Callable[[dict[str, int]], None],
) -> Snapshot:
    progress("catalog", 0.0)
    facts = read_server(session, cores=options.cores)
    relations = read_catalog(session, options.schema_pattern)
    progress("catalog", 1.0)
    with session.transaction():
        schemas = schema_oids(session, options.schema_pattern)
    first = read_counters(session, schemas, facts.statements_schema)
    if options.duration > 0:
        window, statements, inserted, since = _observe(session, facts, options, schemas, first, progress, stop, seen)
    else:
        window, since = None, None
        statements = statement_deltas(
            session, facts.statements_schema, None, first.statements, None, options.statements
        )
        inserted = {oid: row["inserted"] for oid, row in first.tables.items()}
    recent = _recent(session, relations, inserted, options, since, progress)
    log_waits = _log_waits(session, facts, options, progress)
    return Snapshot(
        tool_version=partadvisor.__version__,
        taken_at=first.at_text,
        server=facts.info,
        relations=relations,
        window=window,
        statements=(statements,) if statements else (),
        recent_rows=recent,
        log_waits=log_waits,
        missing=tuple(session.notes),
    )


def _observe(
    session: Session,
    facts: Facts,
    options: CollectOptions,
    schemas: list[int],
    first: Counters,
    progress: Progress,
    stop: Callable[[], bool],
    seen: Callable[[dict[str, int]], None],
) -> tuple[Window, Statements | None, dict[int, int], int]:
    """The window, its statements, inserts by table OID, and the oldest transaction at its begin."""
    cpu = cpu_times() if facts.info.is_local else None
    looks = watch(session, options.duration, options.interval_ms, stop, lambda share: progress("sampling", share), seen)
    busy = busy_share(cpu, cpu_times()) if cpu else None
    last = read_counters(session, schemas, facts.statements_schema, also={p.table for p in first.parts})
    window = Window(
        seconds=last.at - first.at,
        interval_ms=options.interval_ms,
        started_at=first.at_text,
        samples=_named(session, looks),
        transactions=max(0, _change(first, last, "commits")) + max(0, _change(first, last, "rollbacks")),
        rollbacks=max(0, _change(first, last, "rollbacks")),
        tables=table_deltas(session, first, last),
        io=io_delta(first, last),
        wal=wal_delta(first, last),
        host_cpu_busy=busy if options.host_cpu is None else options.host_cpu,
        host_cpu_source=_cpu_source(options.host_cpu, busy),
    )
    seconds = window.seconds
    statements = statement_deltas(
        session, facts.statements_schema, first.statements, last.statements, seconds, options.statements
    )
    inserted = {
        oid: row["inserted"] - (first.tables[oid]["inserted"] if oid in first.tables else 0)
        for oid, row in last.tables.items()
    }
    return window, statements, inserted, first.oldest_xid


def _change(first: Counters, last: Counters, name: str) -> int:
    change: int = last.database[name] - first.database[name]
    return change


def _cpu_source(given: float | None, read: float | None) -> str:
    if given is not None:
        return "given by --host-cpu"
    return "" if read is None else "read from /proc/stat"


def _named(session: Session, looks: list[Look]) -> tuple[ActivitySample, ...]:
    found = owners(session, {oid for look in looks for oid in (*look.extension, *look.tuples)})
    return tuple(named(look, found) for look in looks)


def _log_waits(session: Session, facts: Facts, options: CollectOptions, progress: Progress) -> tuple[LogWait, ...]:
    """Waits of all log files; a relation of another database, or one that is gone, is named by its OID."""
    if not options.logs:
        return ()
    found = owners(session, None)
    waits: list[LogWait] = []
    for number, path in enumerate(options.logs):
        progress("logs", number / len(options.logs))
        read = read_log_waits(path, lambda db, oid: found.get(oid) if db == facts.database_oid else None)
        if not read:
            setting = facts.info.settings.get("log_lock_waits", "not known")
            session.note(f"log {path.name}: no line about a wait for an extension lock (log_lock_waits: {setting})")
        waits += read
    return tuple(waits)


def _recent(
    session: Session,
    relations: tuple[Relation, ...],
    inserted: dict[int, int],
    options: CollectOptions,
    since_xid: int | None,
    progress: Progress,
) -> tuple[RecentRows, ...]:
    """Recent rows of the tables with most inserts."""
    tables = hot_tables(relations, inserted, options.hot_tables)
    found = []
    for number, (relation, share) in enumerate(tables):
        progress("recent rows", number / len(tables))
        rows = read_recent_rows(session, relation, max(_LEAF_ROWS, options.recent_rows // share), since_xid=since_xid)
        if rows:
            found.append(rows)
    return tuple(found)


def hot_tables(relations: tuple[Relation, ...], inserted: dict[int, int], limit: int) -> list[tuple[Relation, int]]:
    """Tables with most inserts, each with the number of those it shares its root with.

    The leaves of one partition tree count as one table, and the busiest few stand for all.
    """
    parents = {r.qualified_name: r.parent for r in relations}
    trees: dict[str, list[Relation]] = {}
    for relation in sorted(relations, key=lambda r: inserted.get(r.oid, 0), reverse=True):
        if inserted.get(relation.oid, 0) >= _HOT_ROWS:
            root = relation.qualified_name
            while above := parents.get(root):
                root = above
            trees.setdefault(root, []).append(relation)
    hottest = sorted(trees.values(), key=lambda leaves: sum(inserted[leaf.oid] for leaf in leaves), reverse=True)
    return [(leaf, len(leaves[:_LEAVES])) for leaves in hottest[:limit] for leaf in leaves[:_LEAVES]]
