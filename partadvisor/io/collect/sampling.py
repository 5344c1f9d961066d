"""Looks at the sessions again and again: what they wait for, and whose extension lock they queue for.

Each look is one round trip and one short transaction, counted on the server, so that its cost does not grow
with the number of sessions on our side. Relation OIDs are turned into names after the window.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import msgspec
import psycopg
from psycopg.rows import dict_row

from partadvisor.io.collect.oids import Owner
from partadvisor.io.collect.session import Row, Session, marked, query_text
from partadvisor.model.activity import ActivitySample, ExtensionWait, RowWait

LOCKS_EVERY = 10
"""pg_locks is read at least at every so-many-th look, to see holders that nobody waits for."""
_LOOK_TIMEOUT_MS = 2_000


class Look(msgspec.Struct, frozen=True):
    """One look. ``extension`` and ``tuples`` are by relation OID: (waiters, holders), and sessions."""

    at_ms: float
    waits: dict[str, int]
    transactions: int
    idle: int
    hidden: int
    extension: dict[int, tuple[int, int]]
    tuples: dict[int, int]
    locks_read: bool


def look_text(major: int, *, locks: bool) -> bytes:
    """The statements of one look; ``locks`` forces a read of pg_locks."""
    settings = ("search_path = pg_catalog", f"statement_timeout = {_LOOK_TIMEOUT_MS}", "jit = off")
    query = query_text("look", major).replace("FORCED", "true" if locks else "false")
    words = ["BEGIN READ ONLY", *(f"SET LOCAL {s}" for s in settings), query, "COMMIT"]
    return "; ".join(map(marked, words)).encode()


def watch(
    session: Session,
    seconds: float,
    interval_ms: float,
    stop: Callable[[], bool],
    progress: Callable[[float], None],
    seen: Callable[[dict[str, int]], None] = lambda _waits: None,
) -> list[Look]:
    """Looks every ``interval_ms`` for ``seconds``, or until ``stop()`` is true; late looks are left out, not caught up.

    ``seen`` hears at once what active sessions waited for at each look.

    Raises:
        ServerError: the connection is lost.
    """
    texts = {locks: look_text(session.major, locks=locks) for locks in (False, True)}
    start, step, number = time.monotonic(), interval_ms / 1000, 0
    looks: list[Look] = []
    failed = 0
    while (now := time.monotonic() - start) < seconds and not stop():
        look = _look(session, texts[(len(looks) + failed) % LOCKS_EVERY == 0], now * 1000)
        if look:
            looks.append(look)
            seen(look.waits)
        failed += look is None
        progress(min(1.0, now / seconds))
        number = max(number + 1, int((time.monotonic() - start) / step) + 1)
        _sleep(min(start + number * step, start + seconds), stop)
    if failed:
        session.note(f"{failed} of {failed + len(looks)} looks at the sessions took too long and were given up")
    if any(look.hidden for look in looks):
        session.note("sessions that the server does not show the state of (other roles, or track_activities off)")
    return looks


def _sleep(until: float, stop: Callable[[], bool]) -> None:
    while (left := until - time.monotonic()) > 0 and not stop():
        time.sleep(min(left, 0.2))


def _look(session: Session, text: bytes, at_ms: float) -> Look | None:
    try:
        with session.connection.cursor(row_factory=dict_row) as cursor:
            cursor.execute(text)
            while cursor.description is None:
                cursor.nextset()
            return _counted(cursor.fetchall(), at_ms)
    except psycopg.Error as error:
        if session.lost:
            raise session.server_gone(error) from error
        session.connection.rollback()
        return None


def _counted(rows: list[Row], at_ms: float) -> Look:
    sessions = [r for r in rows if r["kind"] == "session"]

    def total(state: str) -> int:
        return sum(r["waiters"] for r in sessions if r["state"] == state)

    return Look(
        at_ms=round(at_ms, 1),
        waits={r["wait"]: r["waiters"] for r in sessions if r["state"] == "active"},
        transactions=total("transaction"),
        idle=total("idle"),
        hidden=total("hidden") + total("disabled"),
        extension={r["relation"]: (r["waiters"], r["holders"]) for r in rows if r["kind"] == "extend"},
        tuples={r["relation"]: r["waiters"] for r in rows if r["kind"] == "tuple"},
        locks_read=any(r["kind"] == "locks" and r["waiters"] for r in rows),
    )


def named(look: Look, owners: dict[int, Owner]) -> ActivitySample:
    """The look with names for OIDs; a relation dropped before anybody could ask is named by its OID."""
    extension = []
    for oid, (waiters, holders) in look.extension.items():
        owner = owners.get(oid) or Owner.unknown(oid)
        extension.append(
            ExtensionWait(relation=owner.relation, table=owner.table, via=owner.via, waiters=waiters, holders=holders)
        )
    rows: dict[str, int] = {}
    for oid, sessions in look.tuples.items():
        table = (owners.get(oid) or Owner.unknown(oid)).table
        rows[table] = rows.get(table, 0) + sessions
    return ActivitySample(
        at_ms=look.at_ms,
        waits=look.waits,
        idle_in_transaction=look.transactions,
        idle=look.idle,
        extension=tuple(extension),
        row_waits=tuple(RowWait(table=table, waiters=waiters) for table, waiters in rows.items()),
        locks_read=look.locks_read,
    )
