"""Which duration of a log belongs to which statement.

A duration comes with its statement (log_min_duration_statement) or in a message of its own after it (log_statement with
log_duration); the session ties the two together.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass, field

from partadvisor.pg.log_statements import Logged, find_statement, parameters
from partadvisor.sql.parse import UNLOGGED_TEXT
from partadvisor.workload.log_records import LogRecord

_SESSIONS = 20_000
_STEPS = 2
"""Parse and bind, whose durations come before the execution's."""


@dataclass(frozen=True, slots=True)
class Execution:
    """One run of a statement; ``ms`` is None when the log does not say, ``calls`` 0 for more of an earlier run."""

    text: str
    ms: float | None = None
    plan_ms: float = 0.0
    calls: int = 1
    values: tuple[str | None, ...] | None = None


@dataclass(slots=True)
class _Session:
    """What waits for the session's next message: a statement without its duration, durations without a statement."""

    pending: Execution | None = None
    loose: list[float] = field(default_factory=list)


class Pairing:
    """Puts durations and statements together, session by session."""

    def __init__(self) -> None:
        self._sessions: OrderedDict[str, _Session] = OrderedDict()
        self._paired = False
        self.untied = 0

    def read(self, record: LogRecord) -> Iterator[Execution]:
        """The executions that are complete with this message."""
        logged = None if record.failed else find_statement(record.message)
        key = record.origin.session
        if key is None:
            self.untied += logged is not None and logged.event == "duration"
            yield from _alone(logged, record)
            return
        if record.failed:
            session = self._sessions.get(key)
            if session is not None:
                session.pending = None
            return
        if logged is None or logged.event == "plan":
            return
        session = self._sessions.setdefault(key, _Session())
        self._sessions.move_to_end(key)
        self._paired = self._paired or (logged.event == "duration" and session.pending is not None)
        yield from _advance(session, logged, record)
        if len(self._sessions) > _SESSIONS:
            yield from _rest(self._sessions.popitem(last=False)[1])

    def finish(self) -> Iterator[Execution]:
        """What is left at the end of the log; where durations follow, a statement without one has not ended."""
        for session in self._sessions.values():
            if self._paired:
                session.pending = None
            yield from _rest(session)


def _alone(logged: Logged | None, record: LogRecord) -> Iterator[Execution]:
    """Without a session in the prefix only messages that hold both can be understood, others count without a time."""
    if logged is None or logged.event in ("plan", "duration"):
        return
    yield _execution(logged, record)


def _advance(session: _Session, logged: Logged, record: LogRecord) -> Iterator[Execution]:
    if logged.event == "duration":
        if session.pending is None:
            session.loose.append(logged.ms or 0.0)
            return
        waiting, session.pending = session.pending, None
        yield Execution(waiting.text, logged.ms, waiting.plan_ms, waiting.calls, waiting.values)
        return
    if logged.event == "begun" and logged.prepared:
        session.loose = session.loose[:-_STEPS]
    yield from _rest(session)
    execution = _execution(logged, record)
    if logged.event == "begun" or (logged.event == "fetch" and logged.ms is None):
        session.pending = execution
    else:
        yield execution


def _execution(logged: Logged, record: LogRecord) -> Execution:
    values = parameters(record.detail) if logged.prepared and record.detail else None
    if logged.event == "step":
        return Execution(logged.text, None, logged.ms or 0.0, 0)
    return Execution(logged.text, logged.ms, 0.0, 0 if logged.event == "fetch" else 1, values)


def _rest(session: _Session) -> Iterator[Execution]:
    """Statements whose duration never came, and durations whose statement was not logged."""
    if session.pending is not None:
        yield session.pending
        session.pending = None
    for ms in session.loose:
        yield Execution(UNLOGGED_TEXT, ms)
    session.loose = []
