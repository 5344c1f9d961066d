"""Runs a script in the mind: statement after statement, with the session and the tables as each one meets them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from partadvisor.lint.changes import after
from partadvisor.lint.context import Context, Origin, ScriptContext, Versions
from partadvisor.lint.lock_forms import locks_of
from partadvisor.lint.scope import Scope, Tables
from partadvisor.lint.session import Lock, Session, Setting, TransactionState
from partadvisor.lint.tools import Section, running
from partadvisor.model import ddl
from partadvisor.model.ddl_parts import Span
from partadvisor.sql.ddl.facts import facts_of
from partadvisor.sql.parse import Unparsed
from partadvisor.sql.routines import Inner, inner_statements
from partadvisor.sql.split import Skipped, Statement, split

_DEEPEST = 8
"""DO blocks and calls inside of one another that are followed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Unread:
    """A piece that could not be looked into, at a place of the file."""

    span: Span
    reason: str


@dataclass(frozen=True, slots=True)
class _Point:
    """What a rollback goes back to."""

    session: Session
    tables: Tables


@dataclass
class _Run:
    """One section being simulated."""

    script: ScriptContext
    session: Session
    scope: Scope
    unread: list[Unread] = field(default_factory=list)
    routines: dict[str, ddl.CreateRoutine] = field(default_factory=dict)
    begin: _Point | None = None
    savepoints: list[tuple[str, _Point]] = field(default_factory=list)
    transactions: int = 0
    autocommit: bool = True
    known: tuple[tuple[Lock, ...], set[tuple[str, str, str]]] = field(default_factory=lambda: ((), set()))

    def statement(self, text: str, start: int, *, fixed: Span | None = None, how: _How | None = None) -> None:
        """Meet one statement: note its context, then go on to the state after it."""
        how = how or _How()
        facts = facts_of(text, start, fixed)
        if isinstance(facts, Unparsed):
            span = fixed or Span(start=start, end=start + len(text))
            self.unread.append(Unread(span=span, reason=facts.reason))
            facts = ddl.Facts(text=text, span=span)
        if not self.autocommit and self.session.transaction is None and not _controls(facts):
            self._begin("explicit", len(self.script.statements))
        position = len(self.script.statements)
        locks = locks_of(facts, self.scope, self.script.versions, position)
        context = Context(
            script=self.script,
            position=position,
            facts=facts,
            session=self.session,
            scope=self.scope,
            locks=locks,
            origin=how.origin,
            conditional=how.conditional,
        )
        self.script.statements.append(context)
        self._go_on(facts, locks, position, how)

    def _go_on(self, facts: ddl.Facts, locks: tuple[Lock, ...], position: int, how: _How) -> None:
        before = self.scope
        self.scope = Scope(after(facts.actions, before, position), self.session.search_path)
        if self.session.transaction is not None:
            # a lock is held once, however often it is taken
            new = tuple(k for k in locks if (k.relation, k.mode, k.work) not in self._known())
            live = tuple(k for k in new if not (before.table(k.relation).new or self.scope.table(k.relation).new))
            if new:
                self.session = replace(self.session, held=(*self.session.held, *new), live=(*self.session.live, *live))
        for action in facts.actions:
            if isinstance(action, ddl.SetVariable):
                self._set(action, position)
            elif isinstance(action, ddl.Transaction):
                self._transaction(action, position)
            elif isinstance(action, ddl.DoBlock):
                self._inside(facts.text, action.language, action.body, action.body_span, action.span, position, how)
            elif isinstance(action, ddl.CreateRoutine):
                self._define(action, facts.text, how)
        self._called(facts, position, how)

    def _known(self) -> set[tuple[str, str, str]]:
        """The locks held, made anew only where they are not those of the statement before and some more."""
        held, (seen, known) = self.session.held, self.known
        if len(seen) > len(held) or (seen and held[len(seen) - 1] is not seen[-1]):
            seen, known = (), set()
        known.update((k.relation, k.mode, k.work) for k in held[len(seen) :])
        self.known = held, known
        return known

    def _set(self, action: ddl.SetVariable, position: int) -> None:
        settings = dict(self.session.settings)
        if action.local and self.session.transaction is None:
            return
        if action.name == "all":
            settings.clear()
        elif action.value is None:
            settings.pop(action.name, None)
        else:
            settings[action.name] = Setting(value=action.value, local=action.local, statement=position)
        self._with_settings(settings, action)

    def _with_settings(self, settings: Mapping[str, Setting], action: ddl.SetVariable | None = None) -> None:
        path = self.session.search_path
        if action is not None and action.name == "search_path":
            values = action.values or tuple(v.strip() for v in (action.value or "").split(","))
            path = tuple(v for v in values if v and v != "$user") or (() if action.value == "" else ("public",))
        self.session = replace(self.session, settings=settings, search_path=path)
        self.scope = Scope(self.scope.tables, path)

    def _begin(self, kind: str, position: int) -> None:
        self.transactions += 1
        self.begin = _Point(self.session, self.scope.tables)
        self.savepoints = []
        state = TransactionState(kind=kind, start=position, number=self.transactions)  # type: ignore[arg-type]
        self.session = replace(self.session, transaction=state, held=(), live=())

    def _end(self, *, commit: bool) -> None:
        before, self.begin = self.begin, None
        old = before.session if before else self.session
        if commit:
            kept = {n: s for n, s in self.session.settings.items() if not s.local}
            settings = {**{n: s for n, s in old.settings.items() if n in self.session.settings}, **kept}
            path = old.search_path if _local(self.session, "search_path") else self.session.search_path
            tables = self.scope.tables
        else:
            settings, path, tables = dict(old.settings), old.search_path, before.tables if before else self.scope.tables
        self.session = replace(self.session, transaction=None, held=(), live=(), settings=settings, search_path=path)
        self.scope = Scope(tables, path)

    def _transaction(self, action: ddl.Transaction, position: int) -> None:
        match action.what:
            case "begin" if self.session.transaction is None:
                self._begin("explicit", position)
            case "commit" | "rollback" | "prepare":
                self._end(commit=action.what != "rollback")
                if action.chain:
                    self._begin("explicit", position)
            case "savepoint":
                self.savepoints.append((action.savepoint, _Point(self.session, self.scope.tables)))
            case "rollback to":
                self._back_to(action.savepoint)
        if self.session.transaction is not None:
            names = tuple(n for n, _ in self.savepoints)
            self.session = replace(self.session, transaction=replace(self.session.transaction, savepoints=names))

    def _back_to(self, name: str) -> None:
        """Locks taken since the savepoint are given back, as the server does."""
        for number in range(len(self.savepoints) - 1, -1, -1):
            if self.savepoints[number][0] == name:
                point = self.savepoints[number][1]
                self.savepoints = self.savepoints[: number + 1]
                self.session, self.scope = point.session, Scope(point.tables, point.session.search_path)
                return

    def _define(self, action: ddl.CreateRoutine, text: str, how: _How) -> None:
        """A routine that is only defined: its statements are looked at as they would run, and change nothing."""
        self.routines[action.name.name] = action
        if action.body is None or action.language in ("c", "internal"):
            return
        before = _Point(self.session, self.scope.tables)
        kept, autocommit = (self.begin, list(self.savepoints)), self.autocommit
        self._begin("routine", len(self.script.statements))
        self.autocommit = True
        for name, value in action.settings:
            found = Setting(value=value, local=True, statement=len(self.script.statements) - 1)
            self._with_settings({**self.session.settings, name.lower(): found})
        self._inner(_read(text, action), replace(how, origin="routine", depth=how.depth + 1), action.span)
        self.begin, self.savepoints = kept
        self.autocommit = autocommit
        self.session, self.scope = before.session, Scope(before.tables, before.session.search_path)

    def _called(self, facts: ddl.Facts, position: int, how: _How) -> None:
        """A routine of this file that the statement calls runs now."""
        called = [a.procedure for a in facts.actions if isinstance(a, ddl.Call)]
        runs = any(isinstance(a, (ddl.Query, ddl.Call)) for a in facts.actions)
        for name in dict.fromkeys([*called, *facts.functions] if runs else called):
            routine = self.routines.get(name)
            if routine is None or routine.body is None or how.depth >= _DEEPEST or how.origin == "routine":
                continue
            text = self.script.text[routine.span.start : routine.span.end]
            self._block(_read(text, routine), position, replace(how, depth=how.depth + 1), facts.span)

    def _inside(
        self, text: str, language: str, body: str, place: Span | None, span: Span, position: int, how: _How
    ) -> None:
        if how.depth >= _DEEPEST:
            self.unread.append(Unread(span=span, reason="blocks nested too deeply"))
            return
        found = inner_statements(text, language, body, place, span)
        self._block(found, position, replace(how, depth=how.depth + 1), span)

    def _block(self, found: tuple[Inner, ...] | Unparsed, position: int, how: _How, span: Span) -> None:
        """Statements that run as one transaction, the surrounding one if there is one."""
        alone = self.session.transaction is None
        if alone:
            self._begin("routine", position)
        self._inner(found, how if how.origin == "routine" else replace(how, origin="do block"), span)
        if alone and self.session.transaction is not None:
            self._end(commit=True)

    def _inner(self, found: tuple[Inner, ...] | Unparsed, how: _How, span: Span) -> None:
        if isinstance(found, Unparsed):
            self.unread.append(Unread(span=span, reason=found.reason))
            return
        for inner in found:
            if inner.reason:
                self.unread.append(Unread(span=inner.fixed or span, reason=inner.reason))
                continue
            origin: Origin = "execute" if inner.executed and how.origin != "routine" else how.origin
            each = replace(how, origin=origin, conditional=how.conditional or inner.conditional)
            ends = inner.text in ("COMMIT", "ROLLBACK")
            for text, start in [(inner.text, inner.start)] if not inner.executed else _statements(inner):
                self.statement(text, start, fixed=inner.fixed, how=each)
            if ends:
                self._begin("routine", len(self.script.statements) - 1)

    def psql(self, skipped: Skipped, start: int) -> None:
        """A psql command: some change the session, some run what cannot be seen."""
        words = skipped.text.split()
        span = Span(start=start, end=start + len(skipped.text))
        command = words[0].lower() if words else ""
        if command in ("\\i", "\\ir", "\\include", "\\include_relative"):
            self.unread.append(Unread(span=span, reason="another file is included"))
        elif command.startswith("\\gexec"):
            self.unread.append(Unread(span=span, reason="\\gexec runs statements that a query gives"))
        elif command in ("\\c", "\\connect"):
            self._end(commit=False)
            self.session = Session()
            self.scope = Scope(self.scope.tables)
        elif command == "\\set" and len(words) > 2 and words[1] == "AUTOCOMMIT":
            self.autocommit = words[2].lower() not in ("off", "false", "0", "no")


@dataclass(frozen=True, slots=True, kw_only=True)
class _How:
    """Where a statement comes from."""

    origin: Origin = "script"
    conditional: bool = False
    depth: int = 0


def _read(text: str, routine: ddl.CreateRoutine) -> tuple[Inner, ...] | Unparsed:
    return inner_statements(text, routine.language, routine.body or "", routine.body_span, routine.span)


def _statements(inner: Inner) -> list[tuple[str, int]]:
    """EXECUTE may run several statements at once."""
    return [(s.text, inner.start + s.start_offset) for s in split(inner.text).statements]


def _controls(facts: ddl.Facts) -> bool:
    return any(isinstance(a, (ddl.Transaction, ddl.SetVariable)) for a in facts.actions)


def _local(session: Session, name: str) -> bool:
    return name in session.settings and session.settings[name].local


@dataclass(frozen=True, slots=True, kw_only=True)
class Simulated:
    """A file after its run: its sections, its top-level statements, and what could not be looked into."""

    scripts: tuple[ScriptContext, ...]
    statements: tuple[Statement, ...]
    unread: tuple[Unread, ...]


def simulate(
    file: str,
    text: str,
    *,
    versions: Versions,
    tables: Tables | None = None,
    in_transaction: bool | None = None,
    max_locks: int | None = None,
) -> Simulated:
    """Run a file. ``in_transaction`` None: as its tool does."""
    script = split(text)
    how = running(file, text, in_transaction=in_transaction)
    pieces = _in_order(text, script.statements, script.skipped)
    runs: list[_Run] = []
    for section in how.sections:
        context = ScriptContext(
            file=file,
            text=text,
            tool=how.tool,
            section=section.name,
            versions=versions,
            max_locks_per_transaction=max_locks,
        )
        begin = _deployed(runs[-1].scope.tables) if runs and section.name == "down" else tables or Tables()
        run = _Run(context, Session(), Scope(begin))
        _run_section(run, section, pieces)
        context.final, context.session_end = run.scope, run.session
        runs.append(run)
    outside = _outside(pieces, how.sections)
    return Simulated(
        scripts=tuple(r.script for r in runs),
        statements=script.statements,
        unread=(*outside, *(u for r in runs for u in r.unread)),
    )


def _deployed(tables: Tables) -> Tables:
    """What the way up made, when the way down meets it: in use, and no longer empty."""
    deployed = Tables(tables.base, complete=tables.complete, memory=tables.memory)
    for name, table in tables.changes.items():
        if table is None:
            deployed = deployed.without(name)
        else:
            deployed = deployed.with_table(replace(table, created=None, live=not table.temporary, filled=True))
    return deployed


def _outside(pieces: list[tuple[int, Statement | Skipped]], sections: tuple[Section, ...]) -> list[Unread]:
    """Statements that belong to no section: the tool does not run them, or refuses the file."""
    return [
        Unread(
            span=Span(start=at, end=at + len(piece.text)), reason="outside of the parts that the migration tool runs"
        )
        for at, piece in pieces
        if isinstance(piece, Statement) and not any(_within(at, s) for s in sections)
    ]


def _within(at: int, section: Section) -> bool:
    return section.start <= at < max(section.end, 1)


def _in_order(
    text: str, statements: Iterable[Statement], skipped: Iterable[Skipped]
) -> list[tuple[int, Statement | Skipped]]:
    pieces: list[tuple[int, Statement | Skipped]] = [(s.start_offset, s) for s in statements]
    lines = _line_starts(text)
    pieces += [(lines[min(s.line, len(lines)) - 1] + s.column - 1, s) for s in skipped if s.kind == "psql command"]
    return sorted(pieces, key=lambda piece: piece[0])


def _line_starts(text: str) -> list[int]:
    return [0, *(i + 1 for i, c in enumerate(text) if c == "\n")]


def _run_section(run: _Run, section: Section, pieces: list[tuple[int, Statement | Skipped]]) -> None:
    if section.in_transaction:
        run._begin("tool", -1)  # noqa: SLF001 - the section opens what the run goes on with
    for start, piece in pieces:
        if not _within(start, section):
            continue
        if isinstance(piece, Skipped):
            run.psql(piece, start)
        else:
            run.statement(piece.text, start)
