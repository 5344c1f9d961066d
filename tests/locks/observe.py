"""Runs one case on a server and tells which relations that were there before it locks, scans and writes anew.

In a transaction block that is easily read before the rollback. What refuses a transaction block is run step by step.
"""

import contextlib
import time
from collections.abc import Iterator
from typing import Any

import msgspec
import psycopg

from partadvisor.io.trace.steps import Held, step_through
from partadvisor.pg.locks import mode_name, strongest
from tests.locks.cases import Case, setup_text
from tests.locks.graph import Node, read_graph

Connection = psycopg.Connection[tuple[Any, ...]]
_HELD = "SELECT relation::int8, mode FROM pg_locks WHERE locktype = 'relation' AND pid = %s AND relation = ANY(%s)"
_SCANS = "SELECT oid::int8, pg_stat_get_xact_numscans(oid) FROM pg_class WHERE oid = ANY(%s) AND relkind IN ('r', 'm')"
_FILES = "SELECT oid::int8, relfilenode::int8 FROM pg_class WHERE oid = ANY(%s)"
# statistics that autovacuum gathers midway would change plans, and with them what a foreign key's check reads
_UNDISTURBED = """
DO $$
DECLARE name text;
BEGIN
  FOR name IN SELECT oid::regclass FROM pg_class WHERE relkind = 'r' AND relnamespace = '{schema}'::regnamespace LOOP
    EXECUTE 'ALTER TABLE ' || name || ' SET (autovacuum_enabled = false)';
  END LOOP;
END $$
"""
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
    connection.execute(_UNDISTURBED.format(schema=schema).encode())
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
    return dict(connection.execute(_SCANS, names).fetchall()), dict(connection.execute(_FILES, names).fetchall())


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
        held: Held = set()
        with contextlib.suppress(psycopg.Error):  # a refusal is seen in the undisturbed run
            held = step_through(
                dsn, admin, worker, case.sql.replace("{schema}", schema), [n.oid for n in graph.values()]
            )
    drop_schema(admin, schema)
    names = {node.oid: node.name for node in graph.values()}
    seen = _observed(names, sorted(held), ({}, {}), ({}, {}))
    return msgspec.structs.replace(undisturbed, locks=seen.locks), graph


def _undisturbed(dsn: str, admin: Connection, case: Case, schema: str) -> Observed:
    """Scans are in the session's own counters until it sends them off, half a second after connecting or later."""
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
