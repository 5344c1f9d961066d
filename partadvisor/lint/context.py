"""What a rule sees: one statement in its session, or the whole script. A rule may import this, ``model`` and ``pg``.

Rules are pure: they look at a context and yield hits. Everything here is the state *before* the statement, except
``locks``, which are those the statement itself takes.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Literal, TypeVar

from partadvisor.lint.scope import Scope
from partadvisor.lint.session import Lock, Session
from partadvisor.lint.tables import Table
from partadvisor.model.ddl import Action, Facts, LockMode
from partadvisor.model.ddl_parts import Name, Span
from partadvisor.model.finding import Confidence, Fix, Severity
from partadvisor.pg.readable import readable_ident

A = TypeVar("A", bound=Action)

Tool = Literal["psql", "flyway", "alembic", "django", "goose", "dbmate", "sqitch", "golang-migrate", "unknown"]
Origin = Literal["script", "do block", "routine", "execute"]

MODES: tuple[LockMode, ...] = (
    "ACCESS SHARE", "ROW SHARE", "ROW EXCLUSIVE", "SHARE UPDATE EXCLUSIVE", "SHARE", "SHARE ROW EXCLUSIVE",
    "EXCLUSIVE", "ACCESS EXCLUSIVE",
)  # fmt: skip
"""Lock modes by strength."""
_STRENGTH = {mode: number for number, mode in enumerate(MODES)}


def at_least(mode: LockMode, least: LockMode) -> bool:
    """Whether a mode is as strong as another: ``SHARE`` and above stop writes, ``ACCESS EXCLUSIVE`` reads as well."""
    return _STRENGTH[mode] >= _STRENGTH[least]


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """A rule's answer, from which the engine makes a finding.

    ``at`` is what to underline. ``values`` fill the placeholders of the record's texts; they are given as they shall
    be read, so names as ``context.sql`` gives them. ``about`` are the relations that suffer: when all of them are quiet
    (new, or small and idle, as the record's ``quiet`` says) the hit is dropped; empty: never dropped.
    ``scanned`` is the relation whose size decides how long it takes. ``message``, ``recipe``, ``hint`` and ``blocked``
    overrule the record's text, and are templates too.
    """

    at: Span
    values: dict[str, str] = field(default_factory=dict)
    about: tuple[Table, ...] = ()
    scanned: Table | None = None
    locks: tuple[Lock, ...] = ()
    message: str | None = None
    hint: str | None = None
    recipe: str | None = None
    blocked: str | None = None
    severity: Severity | None = None
    confidence: Confidence | None = None
    fix: Fix | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Versions:
    """The servers the script is for, as majors. ``stated`` false: nobody said, so the supported range is meant."""

    oldest: int
    newest: int
    stated: bool = False

    def any(self, since: int = 0, until: int = 999) -> bool:
        """Whether one of them is in the range, both ends included."""
        return self.oldest <= until and self.newest >= since

    def all(self, since: int = 0, until: int = 999) -> bool:
        """Whether all of them are."""
        return since <= self.oldest and self.newest <= until


@dataclass(frozen=True, kw_only=True)
class Context:
    """One statement. ``position`` counts all statements of the section from 0, those inside of DO blocks too.

    ``conditional``: inside of IF, a loop, or an exception handler. ``origin`` "routine": of a function only defined.
    """

    script: ScriptContext
    position: int
    facts: Facts
    session: Session
    scope: Scope
    locks: tuple[Lock, ...] = ()
    origin: Origin = "script"
    conditional: bool = False

    @property
    def versions(self) -> Versions:
        """The servers the script is for."""
        return self.script.versions

    @property
    def in_transaction(self) -> bool:
        """Whether the statement runs in a transaction block that was opened before it."""
        return self.session.transaction is not None

    def actions(self, *kinds: type[A]) -> Iterator[A]:
        """The statement's actions of these classes."""
        return (a for a in self.facts.actions if isinstance(a, kinds))

    def table(self, name: Name | str) -> Table:
        """What is known of a relation before this statement."""
        return self.scope.table(name)

    def sql(self, name: Name | str) -> str:
        """A name to show or paste: quoted where the server would, with the schema if the user wrote it.

        A qualified text is shortened when its schema is the first of the search path.
        """
        if isinstance(name, Name):
            return ".".join(readable_ident(p) for p in (name.schema, name.name) if p is not None)
        schema, _, short = name.rpartition(".")
        plain = schema in ("", *self.session.search_path[:1])
        return readable_ident(short) if plain else f"{readable_ident(schema)}.{readable_ident(short)}"

    def timeout_ms(self, name: str = "lock_timeout") -> float | None:
        """A timeout in force, ms; 0 is off, None: not set by this script."""
        return self.session.timeout_ms(name)

    def locks_at_least(self, mode: LockMode) -> tuple[Lock, ...]:
        """Locks that this statement takes, as strong as ``mode`` or stronger, on relations that are in use."""
        return tuple(k for k in self.locks if at_least(k.mode, mode) and not self.table(k.relation).new)

    def held_at_least(self, mode: LockMode) -> tuple[Lock, ...]:
        """The same for locks held since earlier statements of the transaction."""
        live, memory = self.session.live, self.script.memory
        seen, found = memory.get(f"held {mode}", ((), ()))
        if len(seen) > len(live) or (seen and live[len(seen) - 1] is not seen[-1]):  # another transaction
            seen, found = (), ()
        if len(seen) < len(live):
            found = (*found, *(k for k in live[len(seen) :] if at_least(k.mode, mode)))
        memory[f"held {mode}"] = live, found
        return tuple(found)

    def earlier(self, *kinds: type[Action]) -> Iterator[Context]:
        """The statements before, latest first; with ``kinds`` those with an action of these classes."""
        there = self.script.having(*kinds)
        return (self.script.statements[i] for i in reversed(there[: bisect_left(there, self.position)]))

    def later(self, *kinds: type[Action]) -> Iterator[Context]:
        """The statements after, next first; with ``kinds`` those with an action of these classes."""
        there = self.script.having(*kinds)
        return (self.script.statements[i] for i in islice(there, bisect_right(there, self.position), None))

    def same_transaction(self, *kinds: type[Action]) -> Iterator[Context]:
        """Earlier statements of the same transaction, latest first; with ``kinds`` those with such an action."""
        mine = self.session.transaction
        for other in self.earlier(*kinds):
            if mine is None or other.session.transaction is None or other.session.transaction.number != mine.number:
                return
            yield other


@dataclass(kw_only=True)
class ScriptContext:
    """A script, or one section of it (``up``, ``down``). ``statements`` is complete when rules run.

    ``final`` is the scope after the last statement. ``memory`` is for what several rules find out about the script.
    """

    file: str
    text: str
    tool: Tool = "psql"
    section: str = ""
    versions: Versions
    max_locks_per_transaction: int | None = None
    statements: list[Context] = field(default_factory=list)
    final: Scope = field(default_factory=Scope)
    session_end: Session = field(default_factory=Session)
    memory: dict[str, Any] = field(default_factory=dict)

    def having(self, *kinds: type[Action]) -> Sequence[int]:
        """Positions of the statements with an action of one of these classes, of all without any; in order."""
        if not kinds:
            return range(len(self.statements))
        by_kinds: dict[tuple[type[Action], ...], list[int]] = self.memory.setdefault("having", {})
        if kinds not in by_kinds:
            by_kinds[kinds] = [c.position for c in self.statements if any(True for _ in c.actions(*kinds))]
        return by_kinds[kinds]
