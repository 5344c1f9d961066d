"""The connection of a migration: guarded transactions that a stop request can interrupt, one run at a time.

Every transaction sets what it relies on with SET LOCAL, so neither the role's settings nor the database's change what
a plan does. No row is ever hidden from us: with ``row_security = off`` the server raises an error instead.
"""

# ruff: noqa: S608  (values are numbers)

from __future__ import annotations

import hashlib
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

import psycopg
from psycopg import errors

from partadvisor.io.connect import connect, describe, is_pooled
from partadvisor.io.migrate.progress import Stop
from partadvisor.model.errors import PartadvisorError, ServerError, Stopped, UsageError
from partadvisor.model.plan import Isolation
from partadvisor.planner.guard import ATTEMPTS_SETTING

APPLICATION_NAME = "partadvisor/apply"
_SETTINGS = (
    "search_path = pg_catalog, pg_temp",
    "datestyle = 'ISO, YMD'",
    "timezone = 'UTC'",
    "intervalstyle = postgres",
    "extra_float_digits = 1",
    "bytea_output = hex",
    "xmloption = content",
    "quote_all_identifiers = off",
    "standard_conforming_strings = on",
    "row_security = off",
    "statement_timeout = 0",
    "idle_in_transaction_session_timeout = 0",
    "default_tablespace = ''",
    "check_function_bodies = on",
    f"{ATTEMPTS_SETTING} = 1",
)
_POLL_S = 0.1
RETRY_ERRORS = (
    errors.LockNotAvailable,
    errors.DeadlockDetected,
    errors.SerializationFailure,
    errors.ObjectInUse,
)


class Worker:
    """One connection. ``stop`` is asked about ten times a second, also while a statement runs."""

    def __init__(self, dsn: str, stop: Stop) -> None:
        self.connection = connect(dsn, application_name=APPLICATION_NAME, read_only=False)
        self.version = self.connection.info.server_version
        self.stop = stop
        if is_pooled(self.connection):
            self.connection.close()
            raise UsageError(
                "a connection pooler answers at that address",
                detail="A migration holds locks of its session, which a pooler hands to other clients.",
                hint="Connect to the server itself.",
            )
        with server_failures(self):
            # We wait between transactions, longer perhaps than the role's setting allows.
            self.connection.execute(
                "SELECT pg_catalog.set_config(name, '0', false) FROM pg_catalog.pg_settings\n"
                "WHERE name = 'idle_session_timeout'"
            )

    def __enter__(self) -> Worker:
        return self

    def __exit__(self, *_: object) -> None:
        self.connection.close()

    @contextmanager
    def transaction(self, isolation: Isolation = "read committed", lock_timeout_ms: int = 500) -> Iterator[Worker]:
        """A transaction with our settings. psycopg's own errors pass, so that callers can tell which to retry."""
        timeout = "SET LOCAL transaction_timeout = 0;" if self.version >= 170000 else ""
        settings = "; ".join(f"SET LOCAL {setting}" for setting in _SETTINGS)
        with self.connection.transaction():
            self.execute(
                f"SET TRANSACTION ISOLATION LEVEL {isolation.upper()}, READ WRITE; {settings}; {timeout} "
                f"SET LOCAL lock_timeout = {lock_timeout_ms}"
            )
            yield self

    def execute(self, sql: str) -> list[tuple[Any, ...]]:
        """Runs one or more statements; gives the rows of the last one that has any.

        Raises:
            Stopped: the caller asked to stop while it ran.
            psycopg.Error: the server refused.
        """
        if self.stop():
            raise stopped()
        done = threading.Event()
        watcher = threading.Thread(target=self._watch, args=(done,), daemon=True)
        watcher.start()
        try:
            cursor = self.connection.execute(sql.encode())
            rows: list[tuple[Any, ...]] = []
            while True:
                if cursor.description:
                    rows = cursor.fetchall()
                if not cursor.nextset():
                    return rows
        except errors.QueryCanceled:
            if self.stop():
                raise stopped() from None
            raise
        finally:
            done.set()
            watcher.join()

    def execute_alone(self, sql: str) -> None:
        """Runs a statement that cannot be in a transaction. It may wait for locks, since no client queues behind it.

        Raises:
            Stopped: the caller asked to stop while it ran.
            psycopg.Error: the server refused.
        """
        settings = [*_SETTINGS, "lock_timeout = 0", *(["transaction_timeout = 0"] if self.version >= 170000 else [])]
        self.execute("; ".join(f"SET {setting}" for setting in settings))
        self.execute(sql)

    def _watch(self, done: threading.Event) -> None:
        while not done.wait(_POLL_S):
            if self.stop():
                with suppress(psycopg.Error):  # a server that is gone is reported by the statement itself
                    self.connection.cancel_safe()

    def sleep(self, seconds: float) -> None:
        """Waits, unless asked to stop.

        Raises:
            Stopped: asked to stop.
        """
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            if self.stop():
                raise stopped()
            time.sleep(min(left, _POLL_S))

    def read(self, sql: str) -> list[tuple[Any, ...]]:
        """Rows of one read-only statement in a transaction of its own.

        Raises:
            ServerError: the server refused or is gone.
        """
        with server_failures(self), self.transaction():
            return self.execute(sql)

    def exclude_others(self, table: str, wait_s: float) -> None:
        """Makes sure that no other run works on the table; the server lets go when our session ends.

        Raises:
            UsageError: another run is at work.
        """
        number = _lock_number(table)
        end = time.monotonic() + wait_s
        while not self.read(f"SELECT pg_try_advisory_lock({number})")[0][0]:
            if time.monotonic() > end:
                raise UsageError(
                    f'another run is migrating table "{table}" right now',
                    hint="Wait until it ends; partadvisor status shows how far it is.",
                )
            self.sleep(0.25)

    def others_at_work(self, table: str) -> bool:
        """Whether another run works on the table."""
        number = _lock_number(table) % 2**64
        return bool(
            self.read(
                "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND granted AND objsubid = 1\n"
                f"AND classid = {number >> 32} AND objid = {number % 2**32} AND pid <> pg_backend_pid()\n"
                "AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
            )[0][0]
        )


def _lock_number(table: str) -> int:
    """Key of the advisory lock of a table's migration."""
    return int.from_bytes(hashlib.sha256(f"partadvisor {table}".encode()).digest()[:8], "big", signed=True)


def stopped() -> Stopped:
    """The error for a stop request; everything committed so far is kept."""
    return Stopped(
        "stopped on request; what was done is kept", hint="Run apply again to go on, or rollback to undo it."
    )


@contextmanager
def server_failures(worker: Worker) -> Iterator[None]:
    """Turns psycopg's errors into ours.

    Raises:
        ServerError: the server refused a statement, or is gone; the state is kept.
    """
    try:
        yield
    except psycopg.Error as error:
        raise failure(worker, error) from error


def failure(worker: Worker, error: psycopg.Error) -> PartadvisorError:
    """The error to show; the server's own detail and hint say more than we could."""
    found = describe(worker.connection, error)
    said = [found.detail, error.diag.message_detail, error.diag.context]
    return ServerError(
        found.message,
        detail="\n".join(text for text in said if text),
        hint=error.diag.message_hint or "What was done is kept. Run apply again to go on, or rollback to undo it.",
    )
