"""What the walkthrough knows at one moment: one frozen value, replaced as a whole by the handlers."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Literal

from partadvisor.model.advice import Advice, Candidate, TableAdvice
from partadvisor.model.base import Value
from partadvisor.model.diagnosis import Diagnosis
from partadvisor.model.finding import Review
from partadvisor.model.plan import MigrationPlan
from partadvisor.model.snapshot import Snapshot
from partadvisor.model.workload import Workload

StageName = Literal["source", "tables", "diagnosis", "candidates", "compare", "migration", "review", "export"]
STAGES: tuple[StageName, ...] = (
    "source", "tables", "diagnosis", "candidates", "compare", "migration", "review", "export",
)  # fmt: skip
Mark = Literal["todo", "done", "stale"]


class Opening(Value, frozen=True, kw_only=True):
    """What the command line names: a file or a DSN, or the files of a schema; all empty to ask in the program."""

    source: str | None = None
    schema: Path | None = None
    queries: Path | None = None
    stats: Path | None = None
    duration: float = 20.0
    pg_bin: Path | None = None
    log_line_prefix: str | None = None


class Walk(Value, frozen=True, kw_only=True):
    """The walkthrough's state.

    ``dsn`` is kept for the migration and shown nowhere. ``keys`` are the schemes the user typed, for ``table``.
    ``plan_of`` is the table, scheme and strategy that ``plan`` was asked for; ``exported`` what was written, by kind,
    and ``exported_of`` the state's ``answer`` at that time.
    """

    source: str = ""
    dsn: str | None = None
    snapshot: Snapshot | None = None
    workload: Workload | None = None
    diagnosis: Diagnosis | None = None
    advice: Advice | None = None
    table: str | None = None
    scheme: str | None = None
    keys: tuple[str, ...] = ()
    left: str | None = None
    right: str | None = None
    plan: MigrationPlan | None = None
    plan_of: tuple[str, str, str] | None = None
    plan_dir: Path | None = None
    strategy: str = "auto"
    script: str = ""
    script_file: str = "script.sql"
    review: Review | None = None
    review_of: tuple[int, str] | None = None
    exported: tuple[str, ...] = ()
    exported_of: tuple[object, ...] | None = None
    visited: frozenset[str] = frozenset()

    @property
    def advised(self) -> TableAdvice | None:
        """The answer for the chosen table, once there is one."""
        tables = self.advice.tables if self.advice else ()
        return next((t for t in tables if t.table == self.table), None)

    @property
    def candidate(self) -> Candidate | None:
        """The chosen scheme with its scores."""
        return self.candidate_of(self.scheme)

    def candidate_of(self, scheme: str | None) -> Candidate | None:
        """A candidate of the chosen table."""
        found = self.advised.candidates if self.advised else ()
        return next((c for c in found if c.scheme == scheme), None)

    @property
    def wanted_plan(self) -> tuple[str, str, str] | None:
        """Table, scheme and strategy that a plan can be made for."""
        return None if self.table is None or self.scheme is None else (self.table, self.scheme, self.strategy)

    @property
    def answer(self) -> tuple[object, ...]:
        """What an export holds; another one makes the written files stale."""
        return (id(self.snapshot), self.table, self.scheme, self.plan_of)

    def mark(self, stage: StageName) -> Mark:
        """Whether a stage is done, or was done for something that has changed since."""
        done, fresh = _MARKS[stage](self)
        return "todo" if not done else "done" if fresh else "stale"


_MARKS: dict[StageName, Callable[[Walk], tuple[bool, bool]]] = {
    "source": lambda w: (w.snapshot is not None, True),
    "tables": lambda w: (w.table is not None and "tables" in w.visited, True),
    "diagnosis": lambda w: (w.diagnosis is not None and "diagnosis" in w.visited, True),
    "candidates": lambda w: (w.advised is not None and "candidates" in w.visited, True),
    "compare": lambda w: (
        w.left is not None and w.right is not None and "compare" in w.visited,
        w.candidate_of(w.left) is not None and w.candidate_of(w.right) is not None,
    ),
    "migration": lambda w: (w.plan is not None, w.plan_of == w.wanted_plan),
    "review": lambda w: (w.review is not None, w.review_of == (id(w.snapshot), w.script)),
    "export": lambda w: (bool(w.exported), w.exported_of == w.answer),
}
