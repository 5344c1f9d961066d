"""Runs a script statement by statement on a server while others work, and writes down what they went through."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import Any

from psycopg.pq import TransactionStatus

from partadvisor.sql.split import split
from tests.lint.live.case import LOCK_WAIT, Case
from tests.lint.live.sessions import (
    DEADLOCK,
    LOCK_NOT_AVAILABLE,
    Connection,
    Patient,
    Watch,
    attempt,
    run,
    session,
)

_numbers = itertools.count(1)
_BULK_ROWS = 100
"""Rows from which reading or writing a table takes time that grows with it; the setups have more in each."""
_WHOLE_TRANSACTION = ("begin", "start")
_NOT_IN_TRANSACTION = ("25001", "2D000")
_WORK = """SELECT relid::bigint, relid::regclass::text, coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0)
    + n_tup_ins + n_tup_upd + n_tup_del
FROM pg_stat_xact_all_tables WHERE schemaname <> 'pg_catalog'"""


@dataclass
class Outcome:
    """What happened. ``blocked``: probes that had to wait, with the relations worked through meanwhile."""

    blocked: dict[str, set[str]] = field(default_factory=dict)
    interrupted: dict[str, str] = field(default_factory=dict)
    error: str | None = None
    broken: dict[str, str] = field(default_factory=dict)
    deadlocked: bool = False
    answers: dict[str, list[tuple[Any, ...]]] = field(default_factory=dict)
    expected: dict[str, list[tuple[Any, ...]]] = field(default_factory=dict)


def try_out(case: Case, dsn: str) -> Outcome:
    """Runs the case in a new schema, and its clients alone in another: what they committed must be in both."""
    world = _world(case, dsn)
    before = {} if _has_clients(case) else _answers(case, world)
    with _trial(case, world) as trial:
        trial.run_script()
        outcome = trial.outcome
        outcome.answers = _answers(case, world)
        if outcome.answers:
            outcome.expected = before or _without_script(case, dsn, trial.acknowledged)
    return outcome


def _world(case: Case, dsn: str) -> str:
    """A schema with what the case needs; a connection string to work there."""
    name = f"world_{next(_numbers)}"
    world = f"{dsn} options='-c search_path={name}'"
    with session(world) as connection:
        connection.execute(f"CREATE SCHEMA {name}; {case.setup}".encode())
    return world


def _has_clients(case: Case) -> bool:
    return bool(case.traffic or case.open)


def _without_script(case: Case, dsn: str, acknowledged: list[str]) -> dict[str, list[tuple[Any, ...]]]:
    world = _world(case, dsn)
    with session(world) as connection:
        for text in (*(o.sql for o in case.open), *acknowledged):
            connection.execute(text.encode())
    return _answers(case, world)


@contextmanager
def _trial(case: Case, dsn: str) -> Iterator[Trial]:
    with ExitStack() as stack:
        script = stack.enter_context(session(dsn, deadlock_timeout="100ms"))
        impatient = stack.enter_context(session(dsn, lock_timeout="15ms"))
        watch = Watch(dsn)
        stack.callback(watch.close)
        opened = [(o, stack.enter_context(session(dsn))) for o in case.open]
        for transaction, connection in opened:
            connection.execute(f"BEGIN; {transaction.sql}".encode())
        patient = stack.enter_context(Patient(dsn, case.meanwhile, watch)) if case.meanwhile else None
        worker = stack.enter_context(ThreadPoolExecutor(1))
        trial = Trial(case, script, impatient, watch, patient, worker)
        trial.opened = [(o.until, c) for o, c in opened]
        yield trial
        for connection in (script, *(c for _, c in opened)):
            connection.close()  # an aborted script leaves no lock that the patient client would wait for


class Trial:
    """One run of a script."""

    def __init__(
        self,
        case: Case,
        script: Connection,
        impatient: Connection,
        watch: Watch,
        patient: Patient | None,
        worker: ThreadPoolExecutor,
    ) -> None:
        self.outcome = Outcome()
        self.acknowledged: list[str] = []
        self.opened: list[tuple[str | int, Connection]] = []
        self._case, self._script, self._impatient = case, script, impatient
        self._watch, self._patient, self._worker = watch, patient, worker
        self._worked: dict[int, int] = {}
        self._usual: dict[str, str] = {}

    def run_script(self) -> None:
        """Runs the statements up to the first error, then looks what still works."""
        self._usual = self._used_before()
        self._work_on()
        for number, statement in enumerate(split(self._case.script).statements, 1):
            self.outcome.error = self._statement(statement.text)
            if self.outcome.error:
                break
            self._release(number)
        if self._script.info.transaction_status != TransactionStatus.IDLE:
            self._script.execute("ROLLBACK")  # what the end of the session does
        self._release("end")
        if self._patient:
            self.outcome.deadlocked = DEADLOCK in (self.outcome.error, *self._patient.errors)
        self._work_on()
        self._look_afterwards()

    def _statement(self, text: str) -> str | None:
        """Runs a statement and, before its locks go, lets the others try."""
        words = text.lower().split(None, 1)
        if words[0] == "set":
            return self._execute(text)  # locks nothing
        if self._script.info.transaction_status == TransactionStatus.IDLE and words[0] not in _WHOLE_TRANSACTION:
            return self._alone(text)
        error = self._execute(text)
        if not error:
            self._meet()
        return error

    def _alone(self, text: str) -> str | None:
        """A statement that is its own transaction: held open for a look, unless it cannot be."""
        self._script.execute("BEGIN")
        self._worked_through()
        error = self._execute(text)
        if error is None:
            self._meet()
            error = run(self._script, "COMMIT")
            self._probe(set())
            return error
        self._script.execute("ROLLBACK")
        if error not in _NOT_IN_TRANSACTION:
            return error
        error = self._execute(text)
        if not error:
            self._meet()
        return error

    def _execute(self, text: str) -> str | None:
        done = self._worker.submit(run, self._script, text)
        while True:
            try:
                return done.result(timeout=0.01)
            except TimeoutError:
                if self.opened and self._watch.waits(self._script.info.backend_pid):
                    self._probe({LOCK_WAIT})
                    self._release("waited")

    def _meet(self) -> None:
        """The others between two statements of the script."""
        inside = self._script.info.transaction_status == TransactionStatus.INTRANS
        self._probe(self._worked_through() if inside else set())
        if self._patient:
            self._patient.settle()
        self._work_on()

    def _worked_through(self) -> set[str]:
        """Relations of which the statements since the last call, in this transaction, read or wrote many rows."""
        now = {oid: (name, rows) for oid, name, rows in self._script.execute(_WORK).fetchall()}
        through = {name for oid, (name, rows) in now.items() if rows - self._worked.get(oid, 0) >= _BULK_ROWS}
        self._worked = {oid: rows for oid, (_, rows) in now.items()}
        return through

    def _probe(self, work: set[str]) -> None:
        for name, text in self._usual.items():
            error = attempt(self._impatient, text)
            if error == LOCK_NOT_AVAILABLE:
                self.outcome.blocked.setdefault(name, set()).update(work)
            elif error:
                self.outcome.interrupted[name] = error

    def _used_before(self) -> dict[str, str]:
        """Probes that work before the script: nobody waits for a table that it makes."""
        return {n: t for n, t in self._case.probes.items() if attempt(self._impatient, t) is None}

    def _work_on(self) -> None:
        """One round of traffic. What could not get a lock in time has not been promised to anybody."""
        for text in self._case.traffic:
            numbered = text.replace("{n}", str(len(self.acknowledged) + 1))
            error = attempt(self._impatient, numbered, "COMMIT")
            if error is None:
                self.acknowledged.append(numbered)
            elif error != LOCK_NOT_AVAILABLE:
                self.outcome.broken["traffic"] = error

    def _release(self, when: str | int) -> None:
        due = [c for until, c in self.opened if until == when or when == "end"]
        self.opened = [(until, c) for until, c in self.opened if c not in due]
        for connection in due:
            connection.execute("COMMIT")

    def _look_afterwards(self) -> None:
        for name, text in self._case.probes.items():
            error = attempt(self._impatient, text)
            if error:
                self.outcome.broken[name] = error


def _answers(case: Case, dsn: str) -> dict[str, list[tuple[Any, ...]]]:
    queries = (*case.claim.loses, *case.claim.keeps)
    with session(dsn) as connection:
        return {query: _answer(connection, query) for query in queries}


def _answer(connection: Connection, query: str) -> list[tuple[Any, ...]]:
    rows: Callable[[], list[tuple[Any, ...]]] = connection.execute(query.encode()).fetchall
    return sorted(rows(), key=repr)
