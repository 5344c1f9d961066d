"""Asks the scratch server for the plans of one statement: generic, and for typical values."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import psycopg

from partadvisor.io.connect import Connection
from partadvisor.io.shadow.planning_time import planner_times
from partadvisor.io.shadow.plans import Node
from partadvisor.model.errors import ServerError
from partadvisor.pg.quote import quote_literal

_NAME = "partadvisor_asked"
_REPEATS = 3, 25
"""How often a plan is made to time it: at least, and at most while all of it takes no longer than ``_TIMING_MS``."""
_TIMING_MS = 40.0
_LOCKS = """SELECT count(DISTINCT relation) FROM pg_catalog.pg_locks WHERE pid = pg_catalog.pg_backend_pid()
AND locktype = 'relation' AND relation >= 16384"""  # the first OID of user objects


@dataclass(frozen=True, slots=True)
class Planned:
    """The plans of one statement with the relation locks of each.

    ``generic`` serves any values, ``custom`` is for the typical ones; ``planning_ms`` is the least processor time of
    a few with warm caches.
    """

    generic: Node
    custom: Node
    planning_ms: float
    locks: int
    generic_locks: int


class NotPlanned(Exception):
    """The server refused the statement; the text is its message."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """A statement known to the server by ``_NAME``, with the types of its parameters."""

    text: str
    types: tuple[str, ...]


@contextmanager
def prepared(connection: Connection, text: str) -> Iterator[Prepared]:
    """Has the server analyse the statement; it is forgotten at the end.

    Raises:
        NotPlanned: it cannot be prepared.
    """
    with _refusals(connection):
        connection.execute(f"PREPARE {_NAME} AS {text}".encode())
    try:
        row = connection.execute(
            "SELECT parameter_types::text[] FROM pg_catalog.pg_prepared_statements WHERE name = %s", [_NAME]
        ).fetchone()
        yield Prepared(text, tuple(row[0]) if row else ())
    finally:
        if not connection.closed:
            connection.execute(f"DEALLOCATE {_NAME}".encode())


def plan(connection: Connection, statement: Prepared, values: Sequence[str | None]) -> Planned:
    """The plans of a prepared statement.

    Raises:
        NotPlanned: the server has no plan for it.
    """
    call = f"EXECUTE {_NAME}" + (f"({', '.join(quote_literal(v) for v in values)})" if values else "")
    custom_call = call if values else statement.text  # without parameters a prepared statement's plan is kept
    with _refusals(connection):
        with connection.transaction():
            connection.execute("SET LOCAL plan_cache_mode = force_generic_plan")
            generic = _explain(connection, call)
            generic_locks = _locks(connection)
        with connection.transaction():
            connection.execute("SET LOCAL plan_cache_mode = force_custom_plan")
            custom = _explain(connection, custom_call)
            locks = _locks(connection)
            planning_ms = min(_timed(connection, custom_call))
    return Planned(
        generic=generic["Plan"],
        custom=custom["Plan"],
        planning_ms=planning_ms,
        locks=locks,
        generic_locks=generic_locks,
    )


def _timed(connection: Connection, call: str) -> list[float]:
    """Milliseconds of planning it again, several times: the best is hardly disturbed by other load."""
    least, most = _REPEATS
    times: list[float] = []
    end = time.monotonic() + _TIMING_MS / 1000
    with planner_times(connection) as taken:
        while len(times) < least or (len(times) < most and time.monotonic() < end):
            answer = _explain(connection, call)
            spent = taken()
            times.append(float(answer["Planning Time"]) if spent is None else spent)
    return times


def _locks(connection: Connection) -> int:
    row = connection.execute(_LOCKS).fetchone()
    return int(row[0]) if row else 0


def _explain(connection: Connection, text: str) -> dict[str, Any]:
    row = connection.execute(f"EXPLAIN (FORMAT JSON, VERBOSE, SUMMARY) {text}".encode()).fetchone()
    found: dict[str, Any] = row[0][0] if row else {}
    return found


@contextmanager
def _refusals(connection: Connection) -> Iterator[None]:
    try:
        yield
    except psycopg.Error as error:
        if connection.closed or connection.broken:
            raise ServerError("the scratch server went away", detail=str(error).strip()) from error
        raise NotPlanned(error.diag.message_primary or str(error).strip()) from error
