"""What pg_stat_statements counted over the window. Its columns go by the extension's version, not the server's."""

from __future__ import annotations

import msgspec

from partadvisor.io.collect.session import MARK, Row, Session
from partadvisor.model.activity import StatementDelta
from partadvisor.model.snapshot import Statements
from partadvisor.pg.quote import quote_ident

_SUMS = ("calls", "total_ms", "plan_ms", "rows", "shared_reads", "wal_bytes")


class StatementCounters(msgspec.Struct, frozen=True):
    """Totals by query id, with how often entries were thrown out and when the totals began (14+)."""

    by_query: dict[str, Row]
    evictions: int | None
    reset: str | None
    age_s: float | None


def read_statement_counters(session: Session, schema: str | None) -> StatementCounters | None:
    """Totals of this database's statements, without their texts, inside the current transaction."""
    if schema is None:
        session.note("statements: pg_stat_statements is not installed in this database (CREATE EXTENSION)")
        return None
    rows = session.attempt("statements", lambda: session.rows_of(_counters_text(session, schema)))
    if rows is None:
        return None
    info = _info(session, schema)
    return StatementCounters(
        by_query={row["query_id"]: row for row in rows},
        evictions=info.get("dealloc"),
        reset=info.get("reset"),
        age_s=info.get("age_s"),
    )


def _columns(session: Session, relation: str) -> set[str]:
    rows = session.rows_of(
        "SELECT a.attname::text AS name FROM pg_attribute a"
        " WHERE a.attrelid = to_regclass(%(relation)s) AND a.attnum > 0",
        {"relation": relation},
    )
    return {row["name"] for row in rows}


def _counters_text(session: Session, schema: str) -> str:
    have = _columns(session, f"{quote_ident(schema)}.pg_stat_statements")
    sums = {
        "calls": "calls",
        "total_ms": "total_exec_time" if "total_exec_time" in have else "total_time",
        "plan_ms": "total_plan_time" if "total_plan_time" in have else "0",
        "rows": "rows",
        "shared_reads": "shared_blks_read",
        "wal_bytes": "wal_bytes" if "wal_bytes" in have else "0",
    }
    listed = ", ".join(f"sum({column})::{_type(name)} AS {name}" for name, column in sums.items())
    return (
        f"SELECT s.queryid::text AS query_id, {listed}"  # noqa: S608  (names from the catalog, quoted)
        f" FROM {quote_ident(schema)}.pg_stat_statements(false) s"
        " WHERE s.queryid IS NOT NULL"
        " AND s.dbid = (SELECT d.oid FROM pg_database d WHERE d.datname = current_database())"
        " GROUP BY s.queryid"
    )


def _type(name: str) -> str:
    return "int8" if name in ("shared_reads", "wal_bytes") else "float8"


def _info(session: Session, schema: str) -> Row:
    view = f"{quote_ident(schema)}.pg_stat_statements_info"
    if not _columns(session, view):
        return {}  # before 14
    rows = session.attempt(
        "evictions of pg_stat_statements",
        lambda: session.rows_of(
            f"SELECT i.dealloc::int8 AS dealloc, i.stats_reset::text AS reset,"  # noqa: S608
            f" extract(epoch FROM clock_timestamp() - i.stats_reset)::float8 AS age_s FROM {view} i"
        ),
    )
    return rows[0] if rows else {}


def statement_deltas(
    session: Session,
    schema: str | None,
    first: StatementCounters | None,
    last: StatementCounters | None,
    seconds: float | None,
    limit: int,
) -> Statements | None:
    """Statements called between two readings with their texts; all of them since the reset if ``first`` is None.

    Runs its own transaction. Keeps the ``limit`` statements with most time and as many with most calls.
    """
    if last is None or schema is None:
        return None
    deltas = [_difference(first.by_query.get(q) if first else None, row) for q, row in last.by_query.items()]
    called = [row for row in deltas if row["calls"] > 0]
    chosen = {row["query_id"]: row for key in ("total_ms", "calls") for row in _most(called, key, limit)}
    texts = _texts(session, schema, list(chosen))
    entries = [
        StatementDelta(text=texts[query_id], **row)
        for query_id, row in chosen.items()
        if query_id in texts and MARK not in texts[query_id]
    ]
    if len(called) > len(chosen):
        session.note(
            f"{len(called) - len(chosen)} of {len(called)} statements, those with the fewest calls and least time"
        )
    evicted = first is not None and (first.evictions != last.evictions or first.reset != last.reset)
    if evicted:
        session.note("statements that pg_stat_statements threw out in the window: raise pg_stat_statements.max")
    return Statements(
        source="pg_stat_statements",
        seconds=seconds if first else last.age_s,
        entries=tuple(sorted(entries, key=lambda e: e.total_ms, reverse=True)),
        evicted=evicted,
    )


def _difference(before: Row | None, now: Row) -> Row:
    """An entry with fewer calls than before was thrown out and came back: all it has is new."""
    if before is None or now["calls"] < before["calls"]:
        return now
    return {"query_id": now["query_id"], **{name: max(0, now[name] - before[name]) for name in _SUMS}}


def _most(rows: list[Row], key: str, limit: int) -> list[Row]:
    return sorted(rows, key=lambda row: row[key], reverse=True)[:limit]


def _texts(session: Session, schema: str, query_ids: list[str]) -> dict[str, str]:
    if not query_ids:
        return {}
    text = (
        f"SELECT s.queryid::text AS query_id, min(s.query) AS query"  # noqa: S608
        f" FROM {quote_ident(schema)}.pg_stat_statements(true) s"
        " WHERE s.queryid = ANY (%(ids)s::int8[]) AND s.query IS NOT NULL GROUP BY s.queryid"
    )
    with session.transaction():
        rows = session.attempt("statement texts", lambda: session.rows_of(text, {"ids": [int(q) for q in query_ids]}))
    if rows is None:
        session.note(
            "statements: their texts cannot be read; if a database has another encoding, one of its statements is"
            " enough, and pg_stat_statements_reset(0, its OID, 0) removes them"
        )
    return {row["query_id"]: row["query"] for row in rows or ()}
