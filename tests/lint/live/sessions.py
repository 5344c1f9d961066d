"""The sessions around a script: probes that give up at once, clients that commit, and one that waits for ever."""

from __future__ import annotations

import threading
import time
from types import TracebackType
from typing import Any, Self

import psycopg

Connection = psycopg.Connection[tuple[Any, ...]]

LOCK_NOT_AVAILABLE = "55P03"
DEADLOCK = "40P01"
_PATIENCE_SECONDS = 20.0


def session(dsn: str, **settings: str) -> Connection:
    """A connection that sends statements as they are."""
    connection = psycopg.connect(dsn, autocommit=True)
    for name, value in settings.items():
        connection.execute("SELECT set_config(%s, %s, false)", (name, value))
    return connection


def attempt(connection: Connection, text: str, end: str = "ROLLBACK") -> str | None:
    """Runs a text in a transaction of its own; None, or the SQLSTATE it failed with."""
    try:
        connection.execute(f"BEGIN; {text}; {end}".encode())
    except psycopg.Error as error:
        connection.execute("ROLLBACK")
        return error.sqlstate
    return None


def run(connection: Connection, text: str) -> str | None:
    """Runs a text as it is; None, or the SQLSTATE it failed with."""
    try:
        connection.execute(text.encode())
    except psycopg.Error as error:
        return error.sqlstate
    return None


class Watch:
    """Asks what a backend waits for."""

    def __init__(self, dsn: str) -> None:
        self._connection = session(dsn)

    def waits(self, pid: int) -> bool:
        """Whether the backend waits for a lock that another session holds."""
        row = self._connection.execute("SELECT pg_blocking_pids(%s) <> '{}'", (pid,)).fetchone()
        return bool(row and row[0])

    def close(self) -> None:
        self._connection.close()


class Patient:
    """A client without a lock timeout: runs its statement over and over, as an application would."""

    def __init__(self, dsn: str, text: str, watch: Watch) -> None:
        self._connection = session(dsn, deadlock_timeout="100ms")
        self._text = text
        self._watch = watch
        self._stop = threading.Event()
        self.errors: list[str | None] = []
        self.done = 0
        self._thread = threading.Thread(target=self._work, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop.set()
        self._thread.join(_PATIENCE_SECONDS)
        self._connection.close()

    def settle(self) -> None:
        """Returns when the client has met the script: it waits, or has got through once more."""
        before = self.done
        deadline = time.monotonic() + _PATIENCE_SECONDS
        while self.done < before + 2 and not self._watch.waits(self._connection.info.backend_pid):
            assert time.monotonic() < deadline
            time.sleep(0.002)

    def _work(self) -> None:
        while not self._stop.is_set():
            error = attempt(self._connection, self._text)
            if error:
                self.errors.append(error)
            self.done += 1
