"""Runs one case on a server and tells which relations that were there before it locks, scans and writes anew.

In a transaction block that is easily read before the rollback. What refuses a transaction block is stopped instead:
SHARE locks on the catalogs it writes make it wait there, where its locks are read, and let it go on one write at a time.
"""

import contextlib
import threading
import time
from collections.abc import Iterator
from typing import Any

import msgspec
import psycopg

from partadvisor.pg.locks import mode_name, strongest
from tests.locks.cases import Case, setup_text
from tests.locks.graph import Node, read_graph

Connection = psycopg.Connection[tuple[Any, ...]]
_HELD = "SELECT relation::int8, mode FROM pg_locks WHERE locktype = 'relation' AND pid = %s AND relation = ANY(%s)"
_SCANS = "SELECT oid::int8, pg_stat_get_xact_numscans(oid) FROM pg_class WHERE oid = ANY(%s) AND relkind IN ('r', 'm')"
_FILES = "SELECT oid::int8, relfilenode::int8 FROM pg_class WHERE oid = ANY(%s)"
_GATES = ("pg_class", "pg_index", "pg_inherits", "pg_statistic")
_WAITS_AT = "SELECT relation::regclass::text FROM pg_locks WHERE pid = %s AND NOT granted AND locktype = 'relation'"
_STATEMENT_MS = 20_000
_UNFLUSHED_S = 0.4
_ATTEMPTS = 8


class Observed(msgspec.Struct, frozen=True, kw_only=True):
    """By name of relation: lock modes that no other held mode makes superfluous, scanned, new file. Or the refusal."""

    locks: dict[str, tuple[str, ...]]
    scanned: frozenset[str]
    rewritten: frozenset[str]
    refused: str = ""


def make_schema(connection: Connection, setup: str, schema: str) -> dict[str, Node]:
    """Makes what a setup describes, and reads back how it hangs together."""
    connection.execute(f"CREATE SCHEMA {schema}; SET search_path = {schema}".encode())
    connection.execute(setup_text(setup, schema).encode())
    return read_graph(connection, schema)


def drop_schema(connection: Connection, schema: str) -> None:
    """Drops what ``make_schema`` made, where many are needed."""
    connection.execute("SET client_min_messages = warning")
    connection.execute(f"DROP SCHEMA IF EXISTS {schema} CASCADE".encode())


def observe_inside(connection: Connection, case: Case, schema: str, graph: dict[str, Node]) -> Observed:
    """Runs the case in a transaction block, reads, and rolls back."""
    oids = {node.oid: node.name for node in graph.values()}
    connection.execute(f"SET search_path = {schema}; SET statement_timeout = {_STATEMENT_MS}".encode())
    with _rolled_back(connection):
        before = _counts(connection, oids)
        try:
            connection.execute(case.sql.replace("{schema}", schema).encode())
        except psycopg.Error as error:
            return _refusal(error)
        held = connection.execute(_HELD, [connection.info.backend_pid, list(oids)]).fetchall()
        return _observed(oids, held, before, _counts(connection, oids))


@contextlib.contextmanager
def _rolled_back(connection: Connection) -> Iterator[None]:
    connection.execute("BEGIN")
    try:
        yield
    finally:
        connection.execute("ROLLBACK")


def _refusal(error: psycopg.Error) -> Observed:
    return Observed(
        locks={}, scanned=frozenset(), rewritten=frozenset(), refused=error.diag.message_primary or str(error)
    )


Counts = tuple[dict[int, int], dict[int, int]]


def _counts(connection: Connection, oids: dict[int, str]) -> Counts:
    names = [list(oids)]
    return dict(connection.execute(_SCANS, names).fetchall()), dict(connection.execute(_FILES, names).fetchall())  # type: ignore[arg-type]


def _observed(oids: dict[int, str], held: list[tuple[Any, ...]], before: Counts, after: Counts) -> Observed:
    modes: dict[str, set[str]] = {}
    for oid, mode in held:
        modes.setdefault(oids[oid], set()).add(mode_name(mode))
    scans, files = ({oid for oid in b if oid in a and a[oid] != b[oid]} for b, a in zip(before, after, strict=True))
    return Observed(
        locks={name: strongest(found) for name, found in modes.items()},
        scanned=frozenset(oids[oid] for oid in scans),
        rewritten=frozenset(oids[oid] for oid in files),
    )


def observe_outside(dsn: str, admin: Connection, case: Case, schema: str) -> tuple[Observed, dict[str, Node]]:
    """Runs the case twice, each on a schema of its own: step by step for its locks, and undisturbed for the rest."""
    undisturbed = _undisturbed(dsn, admin, case, schema)
    graph = make_schema(admin, case.setup, schema)
    with psycopg.connect(dsn, autocommit=True) as worker:
        worker.execute(f"SET search_path = {schema}; SET statement_timeout = {_STATEMENT_MS}".encode())
        held = _step_through(dsn, admin, worker, case.sql.replace("{schema}", schema), graph)
    drop_schema(admin, schema)
    names = {node.oid: node.name for node in graph.values()}
    seen = _observed(names, sorted(held), ({}, {}), ({}, {}))
    return msgspec.structs.replace(undisturbed, locks=seen.locks), graph


def _undisturbed(dsn: str, admin: Connection, case: Case, schema: str) -> Observed:
    """Scans are in the session's own counters until it sends them off, at the earliest half a second after connecting."""
    for _ in range(_ATTEMPTS):
        graph = make_schema(admin, case.setup, schema)
        oids = {node.oid: node.name for node in graph.values()}
        with psycopg.connect(dsn, autocommit=True) as worker:
            worker.execute(f"SET search_path = {schema}".encode())
            started = time.monotonic()
            before = _counts(worker, oids)
            try:
                worker.execute(case.sql.replace("{schema}", schema).encode())
                result = _observed(oids, [], before, _counts(worker, oids))
            except psycopg.Error as error:
                result = _refusal(error)
            elapsed = time.monotonic() - started
        drop_schema(admin, schema)
        if elapsed < _UNFLUSHED_S:
            return result
    raise AssertionError(f"the machine is too slow to read the counters of {case}")


def _step_through(
    dsn: str, observer: Connection, worker: Connection, statement: str, graph: dict[str, Node]
) -> set[tuple[int, str]]:
    """The locks held, or waited for, at each write to a catalog."""
    oids, pid = [node.oid for node in graph.values()], worker.info.backend_pid
    held: set[tuple[int, str]] = set()
    with contextlib.ExitStack() as stack:
        gates = {name: stack.enter_context(_Gate(dsn, name)) for name in _GATES}
        run = threading.Thread(target=_run, args=(worker, statement))
        run.start()
        while run.is_alive():
            for oid, mode in observer.execute(_HELD, [pid, oids]).fetchall():
                held.add((oid, mode))
            for (relation,) in observer.execute(_WAITS_AT, [pid]).fetchall():
                if relation in gates:
                    held.update((oid, mode) for oid, mode in observer.execute(_HELD, [pid, oids]).fetchall())
                    gates[relation].let_one_pass()
            time.sleep(0.0003)
        run.join()
    return held


def _run(worker: Connection, statement: str) -> None:
    with contextlib.suppress(psycopg.Error):  # a refusal is seen in the undisturbed run
        worker.execute(statement.encode())


class _Gate:
    """A SHARE lock on a catalog that moves between two sessions: one holds it, the other queues behind the statement."""

    def __init__(self, dsn: str, catalog: str) -> None:
        self._catalog = catalog
        self._order = f"BEGIN; LOCK TABLE pg_catalog.{catalog} IN SHARE MODE".encode()
        self._holder, self._next = (psycopg.connect(dsn, autocommit=True) for _ in range(2))
        self._queued: threading.Thread | None = None

    def __enter__(self) -> "_Gate":
        self._holder.execute(self._order)
        return self

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
            time.sleep(0.0003)

    def __exit__(self, *_: object) -> None:
        self._settle()
        for connection in (self._holder, self._next):
            connection.close()
