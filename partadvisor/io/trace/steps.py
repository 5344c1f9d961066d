"""The locks of a statement that refuses a transaction block, and lets go of them before anybody could look.

SHARE locks on the catalogs it writes make it wait there. While it waits its locks are read, and then it may do that
one write. Locks that it takes and releases between two writes are not seen.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Sequence
from types import TracebackType
from typing import Self

import psycopg

from partadvisor.io.connect import Connection

_GATES = ("pg_class", "pg_index", "pg_inherits", "pg_statistic")
_HELD = "SELECT relation::int8, mode FROM pg_locks WHERE locktype = 'relation' AND pid = %s AND relation = ANY(%s)"
_WAITS_AT = "SELECT relation::regclass::text FROM pg_locks WHERE pid = %s AND NOT granted AND locktype = 'relation'"
_PAUSE_S = 0.0003

Held = set[tuple[int, str]]


def step_through(dsn: str, observer: Connection, worker: Connection, statement: str, oids: Sequence[int]) -> Held:
    """OID and mode (``pg_locks`` spelling) of every lock on ``oids`` held at a write to a catalog.

    Runs ``statement`` on ``worker``, whose statement_timeout should be set.

    Raises:
        psycopg.Error: the server refused the statement.
    """
    pid = worker.info.backend_pid
    held: Held = set()
    failed: list[psycopg.Error] = []
    with contextlib.ExitStack() as stack:
        gates = {name: stack.enter_context(_Gate(dsn, name)) for name in _GATES}
        run = threading.Thread(target=_run, args=(worker, statement, failed))
        run.start()
        while run.is_alive():
            for (relation,) in observer.execute(_WAITS_AT, [pid]).fetchall():
                if relation in gates:
                    held.update((oid, mode) for oid, mode in observer.execute(_HELD, [pid, list(oids)]).fetchall())
                    gates[relation].let_one_pass()
            time.sleep(_PAUSE_S)
        run.join()
    if failed:
        raise failed[0]
    return held


def _run(worker: Connection, statement: str, failed: list[psycopg.Error]) -> None:
    try:
        worker.execute(statement.encode())
    except psycopg.Error as error:
        failed.append(error)


class _Gate:
    """A SHARE lock on a catalog, held by one of two sessions while the other queues behind the statement."""

    def __init__(self, dsn: str, catalog: str) -> None:
        self._catalog = catalog
        self._order = f"BEGIN; LOCK TABLE pg_catalog.{catalog} IN SHARE MODE".encode()
        self._holder, self._next = (psycopg.connect(dsn, autocommit=True) for _ in range(2))
        self._queued: threading.Thread | None = None

    def __enter__(self) -> Self:
        self._holder.execute(self._order)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._settle()
        for connection in (self._holder, self._next):
            connection.close()

    def let_one_pass(self) -> None:
        """Lets the statement that waits here do its write, and closes again before its next one."""
        self._settle()
        waiting = self._next
        self._queued = threading.Thread(target=waiting.execute, args=(self._order,))
        self._queued.start()
        self._await_queue(waiting.info.backend_pid)
        self._holder.execute("COMMIT")
        self._holder, self._next = self._next, self._holder

    def _settle(self) -> None:
        """The statement may stop at another gate before it gives way to the session queued here."""
        if self._queued:
            self._queued.join()

    def _await_queue(self, pid: int) -> None:
        """Or until it has the lock, when the statement has given up."""
        query = f"SELECT granted FROM pg_locks WHERE pid = %s AND relation = 'pg_catalog.{self._catalog}'::regclass"  # noqa: S608
        while not self._holder.execute(query.encode(), [pid]).fetchone():
            time.sleep(_PAUSE_S)
