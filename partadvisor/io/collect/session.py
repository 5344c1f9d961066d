"""The one connection of a collection: short read-only transactions with limits, and the notes of what was refused.

All settings are SET LOCAL, so that nothing leaks into a pooled session, and make output independent of
the role's and the database's own settings: with ``pg_catalog`` alone on the search path the server
qualifies every name it prints.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import resources
from typing import Any

import psycopg
from psycopg import IsolationLevel
from psycopg.rows import dict_row

from partadvisor.io.connect import Connection, describe
from partadvisor.model.errors import ServerError

MARK = "/* partadvisor */"
"""Inside every statement of ours, so that we know ourselves in pg_stat_statements; 18 drops leading comments."""

Row = dict[str, Any]

# the server's functions look at the catalog of now, not of our snapshot: "cache lookup failed", "does not exist"
_CHANGED = (psycopg.errors.InternalError_, psycopg.errors.UndefinedTable, psycopg.errors.UndefinedObject)

_LOCAL_SETTINGS = (
    "search_path = pg_catalog, pg_temp",
    "datestyle = 'ISO, YMD'",
    "timezone = 'UTC'",
    "intervalstyle = postgres",
    "extra_float_digits = 1",
    "bytea_output = hex",
    "xmloption = content",
    "quote_all_identifiers = off",
    "row_security = off",
    "jit = off",
    "max_parallel_workers_per_gather = 0",
    "enable_tidscan = on",
)


@functools.cache
def query_text(name: str, major: int) -> str:
    """``queries/<name>.sql`` for one server version.

    A line that ends in ``-- 14+`` is for 14 and later, one that ends in ``-- <14`` for earlier ones.
    """
    text = resources.files("partadvisor.io").joinpath("queries", f"{name}.sql").read_text(encoding="utf-8")
    kept = [line for line in text.splitlines() if line.strip() and _concerns(line, major)]
    return "\n".join(line.split("--")[0].rstrip() for line in kept)


def marked(statement: str) -> str:
    """The statement with our mark behind its first word."""
    return re.sub(r"^\w+", rf"\g<0> {MARK}", statement, count=1)


def _concerns(line: str, major: int) -> bool:
    if line.lstrip().startswith("--"):
        return False
    since = re.search(r"-- (\d+)\+$", line)
    before = re.search(r"-- <(\d+)$", line)
    return not (since and major < int(since[1])) and not (before and major >= int(before[1]))


class Session:
    """A connection, the server's major version, and the notes for ``Snapshot.missing``."""

    def __init__(self, connection: Connection, *, statement_timeout_ms: int, lock_timeout_ms: int) -> None:
        self.connection = connection
        self.major = connection.info.server_version // 10000
        self.notes: list[str] = []
        self.limits = "; ".join(
            marked(f"SET LOCAL {name} = {ms}")
            for name, ms in (("statement_timeout", statement_timeout_ms), ("lock_timeout", lock_timeout_ms))
        )

    def note(self, text: str) -> None:
        """Adds a note once."""
        if text not in self.notes:
            self.notes.append(text)

    @contextmanager
    def transaction(self, *, repeatable: bool = False, bare: bool = False) -> Iterator[None]:
        """A read-only transaction with our settings; one snapshot for all its statements if ``repeatable``.

        A ``bare`` one leaves the settings as they are: for a look at the settings themselves.

        Raises:
            ServerError: the connection is lost, or a statement fails that nobody caught.
        """
        level = IsolationLevel.REPEATABLE_READ if repeatable else IsolationLevel.READ_COMMITTED
        settings = "; ".join(marked(f"SET LOCAL {setting}") for setting in _LOCAL_SETTINGS)
        try:
            self.connection.isolation_level = level
            with self.connection.transaction():
                if not bare:
                    self.connection.execute(f"{settings}; {self.limits}".encode())
                yield
        except psycopg.Error as error:
            raise describe(self.connection, error) from error

    def rows(self, name: str, params: Mapping[str, Any] | None = None) -> list[Row]:
        """The rows of one of our queries, inside the current transaction."""
        return self.rows_of(query_text(name, self.major), params)

    def rows_of(self, text: str, params: Mapping[str, Any] | None = None) -> list[Row]:
        """The rows of a statement text, inside the current transaction."""
        with self.connection.cursor(row_factory=dict_row) as cursor:
            return cursor.execute(marked(text).encode(), params).fetchall()

    def attempt(self, what: str, read: Callable[[], list[Row]]) -> list[Row] | None:
        """Runs ``read`` in a savepoint; when the server refuses it, notes that ``what`` is missing and goes on.

        Raises:
            ServerError: the connection is lost.
        """
        try:
            with self.connection.transaction():
                return read()
        except psycopg.Error as error:
            if self.lost:
                raise describe(self.connection, error) from error
            self.note(f"{what}: {error.diag.message_primary or error}")
            return None

    def unlocked(
        self, what: str, name: str, oids: Sequence[int], needs: Mapping[int, set[int]] | None = None
    ) -> list[Row]:
        """Rows of a query over ``oids`` that locks relations (ACCESS SHARE), leaving out those we would queue for.

        Somebody may hold, or be waiting for, ACCESS EXCLUSIVE on a few of them: exactly then people collect.
        ``needs`` tells which relations each object of ``oids`` locks; by default itself.
        """
        try:
            return self._in_savepoint(name, list(oids))
        except psycopg.errors.LockNotAvailable:
            locked = {row["oid"] for row in self.rows("locked_relations")}
            free = [oid for oid in oids if not (needs[oid] if needs else {oid}) & locked]
            self.note(f"{what} that an ACCESS EXCLUSIVE lock keeps us from ({len(oids) - len(free)})")
        except _CHANGED:
            free = list(oids)  # one of them was dropped; which one is found below
        return self._all_but_failing(what, name, free)

    def _all_but_failing(self, what: str, name: str, oids: list[int]) -> list[Row]:
        """Rows of a query over ``oids``, without the few that make it fail, which are found by halving."""
        try:
            return self._in_savepoint(name, oids)
        except (psycopg.errors.LockNotAvailable, *_CHANGED):
            if len(oids) <= 1:
                self.note(f"{what} of what was locked or dropped while we read")
                return []
        middle = len(oids) // 2
        return [row for half in (oids[:middle], oids[middle:]) for row in self._all_but_failing(what, name, half)]

    def _in_savepoint(self, name: str, oids: list[int]) -> list[Row]:
        with self.connection.transaction():
            return self.rows(name, {"oids": oids})

    def defined(self, name: str, oids: Sequence[int]) -> list[Row]:
        """Rows of query ``name`` over relations, with texts of ``name_definitions`` where they can be had at once.

        The server prints nothing for what was dropped since; it is left out.
        """
        rows = self.rows(name, {"oids": list(oids)})
        if not rows:
            return []
        found = self.unlocked(f"definitions of {name.replace('_', ' ')}", f"{name}_definitions", oids)
        texts = {row.pop("object_oid"): row for row in found}
        for row in rows:
            row.update(texts.get(row.pop("object_oid"), {"definition": ""}))
        return [row for row in rows if row["definition"] is not None]

    @property
    def lost(self) -> bool:
        """Whether the connection is gone, so that nothing more can be read."""
        return self.connection.closed or self.connection.broken

    def server_gone(self, error: psycopg.Error) -> ServerError:
        """The error to show for a failed statement."""
        return describe(self.connection, error)
