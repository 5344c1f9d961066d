"""Runs scripts on a scratch server, statement by statement, and compares what they lock with what review says."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

import msgspec
import psycopg
from psycopg import errors
from psycopg.pq import TransactionStatus

from partadvisor.io.binaries import find_binaries
from partadvisor.io.connect import Connection, connect
from partadvisor.io.scripts import Script
from partadvisor.io.server import Server, start_server
from partadvisor.io.trace.steps import step_through
from partadvisor.io.trace.watch import State, created, look, lost_privileges, rewritten, scanned, telling_locks
from partadvisor.io.trace.world import from_schema, from_snapshot
from partadvisor.lint.tools import Section, running
from partadvisor.model.ddl import LockMode
from partadvisor.model.finding import Review, ReviewedStatement
from partadvisor.model.snapshot import Snapshot
from partadvisor.model.trace import Difference, LostPrivilege, Trace, TracedLock, TracedStatement
from partadvisor.pg.locks import CONFLICTS, mode_name, strongest
from partadvisor.sql.split import Statement, split

_DATABASE = "trace"
_SETTINGS = {
    "fsync": "off",
    "autovacuum": "off",
    "max_locks_per_transaction": "1024",
    "allow_in_place_tablespaces": "on",
}
_STATEMENT_TIMEOUT_MS = 60_000
_CONTROL = re.compile(r"(?i)^(begin|start\s+transaction|commit|end|rollback|abort|savepoint|release|set|reset)\b")
_ELSEWHERE = re.compile(
    r"(?i)^(?:(?:create|drop|alter)\s+(?:database|tablespace|subscription|system)|copy\b.*\bprogram)\b"
)
_COPY_IN = re.compile(r"(?is)^copy\b.*\bfrom\s+stdin\b")
_ROW_EXCLUSIVE = "ROW EXCLUSIVE"


def trace_scripts(
    scripts: Sequence[Script],
    review: Review,
    *,
    schema: tuple[Path, str] | None = None,
    snapshot: Snapshot | None = None,
    in_transaction: bool | None = None,
    pg_bin: Path | None = None,
) -> Trace:
    """Runs the scripts one after the other in a database made from ``schema`` (path and text) or ``snapshot``.

    ``review`` is what was said about the same scripts.

    Raises:
        UsageError: there are no programs of a server.
        ServerError: the scratch server did not start.
    """
    with start_server(find_binaries(pg_bin), settings=_SETTINGS) as server:
        server.create_database(_DATABASE)
        notes = _make(server, schema, snapshot)
        statements = [s for script in scripts for s in _File(server, script, review, in_transaction).run()]
        version = server.execute("SHOW server_version")[0][0]
    return Trace(server_version=str(version).split()[0], statements=tuple(statements), notes=notes)


def _make(server: Server, schema: tuple[Path, str] | None, snapshot: Snapshot | None) -> tuple[str, ...]:
    with _session(server) as connection:
        if schema is not None:
            return from_schema(connection, *schema)
        return from_snapshot(connection, snapshot) if snapshot is not None else ()


def _session(server: Server) -> Connection:
    return connect(
        server.dsn(_DATABASE),
        application_name="partadvisor/trace",
        read_only=False,
        statement_timeout_ms=_STATEMENT_TIMEOUT_MS,
    )


@dataclass
class _File:
    """One script being traced."""

    server: Server
    script: Script
    review: Review
    in_transaction: bool | None

    def run(self) -> list[TracedStatement]:
        """Its statements, in order, up to the first that fails."""
        how = running(self.script.file, self.script.text, in_transaction=self.in_transaction)
        statements = split(self.script.text).statements
        with _session(self.server) as connection, _session(self.server) as observer:
            start = look(observer)
            session = _Session(connection, observer, self.server, start)
            sections = [s for s in how.sections if s.name != "down"]
            found = [t for section in sections for t in self._section(section, statements, session)]
            lost = set(lost_privileges(start, look(observer)))
        return [_with(t, lost_privileges=tuple(p for p in t.lost_privileges if p in lost)) for t in found]

    def _section(
        self, section: Section, statements: Sequence[Statement], session: _Session
    ) -> Iterator[TracedStatement]:
        if section.in_transaction:
            session.connection.execute("BEGIN")
        for statement in statements:
            if section.start <= statement.start_offset < section.end:
                traced = session.trace(statement, self.script.file, self._said(statement))
                yield traced
                if traced.outcome == "failed":
                    return
        session.connection.execute("COMMIT")

    def _said(self, statement: Statement) -> dict[str, set[str]]:
        """Modes by relation that review names for the statement, and for those inside of it."""
        last = statement.line + statement.text.count("\n")
        found: dict[str, set[str]] = {}
        for reviewed in self.review.statements:
            if self._is_part(reviewed, statement, last):
                for lock in reviewed.locks:
                    found.setdefault(lock.relation, set()).add(lock.mode)
        return found

    def _is_part(self, reviewed: ReviewedStatement, statement: Statement, last: int) -> bool:
        return (
            reviewed.file == self.script.file
            and statement.line <= reviewed.line <= last
            and reviewed.text.strip() in statement.text
        )


@dataclass
class _Session:
    """The session a script runs in. ``start`` is what was there before it, ``lost`` the privileges lost since."""

    connection: Connection
    observer: Connection
    server: Server
    start: State
    lost: set[LostPrivilege] = field(default_factory=set)

    def trace(self, statement: Statement, file: str, said: dict[str, set[str]]) -> TracedStatement:
        """Runs a statement, and tells what it did."""
        place = TracedStatement(file=file, line=statement.line, text=statement.text)
        if _ELSEWHERE.match(statement.text):
            return _with(place, outcome="skipped", error="it acts outside of the database")
        try:
            before, after, took = self._run(statement.text)
        except psycopg.Error as error:
            if self.connection.closed or self.connection.broken:
                raise
            self.connection.execute("ROLLBACK")
            return _with(place, outcome="failed", error=error.diag.message_primary or str(error))
        if after is None:
            return place
        modes = telling_locks(took, before, self.start.relations)
        held = telling_locks({*after.held, *took}, before, self.start.relations)
        return _with(
            place,
            locks=tuple(TracedLock(relation=n, mode=_mode(m)) for n in sorted(modes) for m in strongest(modes[n])),
            rewritten=rewritten(before, after),
            scanned=scanned(before, after),
            created=created(before, after),
            lost_privileges=self._newly_lost(after),
            differences=tuple(_differences(said, modes, held, self._known(before))),
        )

    def _known(self, before: State) -> set[str]:
        """Names of the relations that the script found."""
        return {seen.name for oid, seen in before.relations.items() if oid in self.start.relations}

    def _newly_lost(self, after: State) -> tuple[LostPrivilege, ...]:
        """Since the start, under the same name: a swap takes it away first, and gives it to another table later."""
        found = [p for p in lost_privileges(self.start, after) if p not in self.lost]
        self.lost.update(found)
        return tuple(found)

    def _run(self, text: str) -> tuple[State, State | None, set[tuple[int, str]]]:
        """State before, and after (None for what only controls the session), and the locks taken."""
        if _CONTROL.match(text):
            self.connection.execute(text.encode())
            return State({}, frozenset()), None, set()
        if self.connection.info.transaction_status == TransactionStatus.INTRANS:
            before, after = self._watched(text)
            return before, after, set(after.held - before.held)
        return self._alone(text)

    def _watched(self, text: str) -> tuple[State, State]:
        before = look(self.connection)
        if _COPY_IN.match(text):
            with self.connection.cursor() as cursor, cursor.copy(text.encode()):
                pass  # the rows are of no interest, and the locks are the same
        else:
            self.connection.execute(text.encode())
        return before, look(self.connection)

    def _alone(self, text: str) -> tuple[State, State, set[tuple[int, str]]]:
        """A statement that commits by itself: in a block of its own, or step by step if it refuses one."""
        self.connection.execute("BEGIN")
        try:
            before, after = self._watched(text)
        except (errors.ActiveSqlTransaction, errors.InvalidTransactionTermination):
            self.connection.execute("ROLLBACK")
        else:
            self.connection.execute("COMMIT")
            return before, after, set(after.held)
        before = look(self.observer)
        dsn = self.server.dsn(_DATABASE)
        held = step_through(dsn, self.observer, self.connection, text, list(before.relations))
        return before, look(self.observer), {(oid, mode_name(mode)) for oid, mode in held}


def _with(place: TracedStatement, **fields: object) -> TracedStatement:
    return msgspec.structs.replace(place, **fields)


def _mode(mode: str) -> LockMode:
    return cast("LockMode", mode)


def _differences(
    said: dict[str, set[str]], took: dict[str, set[str]], held: dict[str, set[str]], names: set[str]
) -> Iterator[Difference]:
    """Locks that review did not name, and locks strong enough to block writes that it named in vain."""
    for name in sorted(names & {*said, *took}):
        missing = {m for m in took.get(name, ()) if not _covered(m, said.get(name, set()))}
        in_vain = {m for m in said.get(name, ()) if not _covered(m, held.get(name, set()))}
        if missing or any(_ROW_EXCLUSIVE in CONFLICTS[m] for m in in_vain):
            yield Difference(
                relation=name,
                said=tuple(_mode(m) for m in strongest(said.get(name, ()))),
                took=tuple(_mode(m) for m in strongest(took.get(name, ()))),
            )


def _covered(mode: str, others: set[str]) -> bool:
    return any(CONFLICTS[mode] <= CONFLICTS[other] for other in others)
