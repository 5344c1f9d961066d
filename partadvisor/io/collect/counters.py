"""Counters at the two ends of the window, and their difference.

The server's backends report their counts at most once a second, and at the end of a transaction, so both ends
lag by about the same; each end is read in a transaction of its own, since the server repeats within a
transaction what it said first.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, TypeVar

import msgspec

from partadvisor.io.collect.session import Row, Session
from partadvisor.io.collect.sizes import Part, storage_parts
from partadvisor.io.collect.statements import StatementCounters, read_statement_counters
from partadvisor.model.activity import IoDelta, TableDelta, WalDelta

_SIZED_TABLES = 2_000
_ROW_COUNTERS = ("inserted", "updated", "hot_updated", "deleted")

D = TypeVar("D", IoDelta, WalDelta)


class Counters(msgspec.Struct, frozen=True):
    """What one end of the window said. ``tables`` is by OID, ``parts`` the sizes of those with most inserts."""

    at: float
    at_text: str
    oldest_xid: int
    database: Row
    tables: dict[int, Row]
    parts: list[Part]
    io: Row | None
    wal: Row | None
    statements: StatementCounters | None


def read_counters(
    session: Session, schemas: Sequence[int], statements_schema: str | None, also: Iterable[int] = ()
) -> Counters:
    """Reads one end, in its own transaction; ``also`` are tables to size besides those with most inserts."""
    with session.transaction():
        clock = session.rows("clock")[0]
        database = session.rows("database_counters")[0]
        rows = session.rows("table_counters", {"schemas": list(schemas)})
        by_inserts = sorted(rows, key=lambda row: row["inserted"], reverse=True)
        sized = {row["oid"] for row in by_inserts[:_SIZED_TABLES]} | set(also)
        statements = read_statement_counters(session, statements_schema)
        wal = session.attempt("pg_stat_wal", lambda: session.rows("wal_counters")) if session.major >= 14 else None
        io = session.attempt("pg_stat_io", lambda: session.rows("io_counters")) if session.major >= 16 else None
        return Counters(
            at=clock["at"],
            at_text=clock["text"],
            oldest_xid=clock["oldest_xid"],
            database=database,
            tables={row["oid"]: row for row in rows},
            parts=storage_parts(session, sorted(sized)),
            io=io[0] if io else None,
            wal=wal[0] if wal else None,
            statements=statements,
        )


def table_deltas(session: Session, first: Counters, last: Counters) -> tuple[TableDelta, ...]:
    """Row counters and growth per table, busiest first; a table that did not change is left out.

    A counter that went backwards was reset, and is taken from zero; a file that shrank was truncated, and
    counts as no growth.
    """
    # the time of the reset also changes when a new database is counted for the first time (before 15)
    if last.database["commits"] < first.database["commits"]:
        session.note("counters before the statistics were reset in the middle of the window")
    growth = _growth(first, last)
    deltas = []
    for oid, now in last.tables.items():
        before = first.tables.get(oid) or {}
        counts = {name: _since(before.get(name, 0), now[name]) for name in _ROW_COUNTERS}
        heap, index, toast = growth.get(oid, (0, 0, 0))
        if any(counts.values()) or heap or index or toast:
            deltas.append(
                TableDelta(table=now["table"], heap_bytes=heap, index_bytes=index, toast_bytes=toast, **counts)
            )
    return tuple(sorted(deltas, key=lambda d: d.inserted, reverse=True))


def io_delta(first: Counters, last: Counters) -> IoDelta | None:
    """Difference of ``pg_stat_io``; times only when the server measured them."""
    return _delta(IoDelta, first.io, last.io, ("extend_ms", "read_ms", "write_ms"))


def wal_delta(first: Counters, last: Counters) -> WalDelta | None:
    """Difference of ``pg_stat_wal``; times only when the server measured them."""
    return _delta(WalDelta, first.wal, last.wal, ("sync_ms", "write_ms"))


def _delta(type_: type[D], first: Row | None, last: Row | None, timed: tuple[str, ...]) -> D | None:
    if first is None or last is None:
        return None
    fields: dict[str, Any] = {}
    for name in type_.__struct_fields__:
        if last[name] is not None and (name not in timed or last["timed"]):
            fields[name] = _since(first[name] or 0, last[name])
    return type_(**fields)


def _since(before: Any, now: Any) -> Any:
    return now - before if now >= before else now


def _growth(first: Counters, last: Counters) -> dict[int, tuple[int, int, int]]:
    """Bytes of heap, indexes and TOAST that each table grew by; a table of unknown earlier size is left out."""
    before = {part.oid: part.bytes for part in first.parts}
    sized = {part.table for part in first.parts}
    sums: dict[int, list[int]] = {}
    for part in last.parts:
        if part.table in sized or part.table not in first.tables:
            grown = max(0, part.bytes - before.get(part.oid, 0))
            sums.setdefault(part.table, [0, 0, 0])[("heap", "index", "toast").index(part.via)] += grown
    return {table: (heap, index, toast) for table, (heap, index, toast) in sums.items()}
