"""A migration plan: phases of steps, each with its locks, its growth and its undo, as data.

``plan.json`` is the JSON form of :class:`MigrationPlan`; the numbered SQL files hold the same statements.
"""

from __future__ import annotations

from typing import Literal

from partadvisor.model.base import Value

DurationClass = Literal["instant", "scan", "copy", "wait"]
StrategyName = Literal["ahead", "attach", "copy", "rewrite"]


class LockImpact(Value, frozen=True, kw_only=True):
    """A lock one step takes. ``role``: target, parent, partition, default, referenced, referencing, index, sequence."""

    relation: str
    role: str
    mode: str


class Step(Value, frozen=True, kw_only=True):
    """One unit of work.

    ``sql`` is what ``psql`` runs as it stands. A transactional step runs in one transaction with
    ``lock_timeout_ms`` and is retried as a whole. ``done_sql`` is a query giving one boolean: the step's effect is
    already there (so a resumed run skips it). ``repeat_sql``, when set, is one batch giving one integer; the runner
    repeats it until it gives 0 instead of running ``sql``. ``check_sql`` gives rows (text, text) that describe
    differences; no rows means the check passed.
    """

    id: str
    title: str
    sql: str
    transactional: bool = True
    locks: tuple[LockImpact, ...] = ()
    blocks: str = ""
    grows_with: str = ""
    duration_class: DurationClass = "instant"
    lock_timeout_ms: int = 500
    statement_timeout_ms: int = 0
    undo_sql: str | None = None
    point_of_no_return: bool = False
    done_sql: str | None = None
    repeat_sql: str | None = None
    check_sql: str | None = None


class Phase(Value, frozen=True, kw_only=True):
    """Steps with one purpose: prepare, fill, verify, swap or finish."""

    name: str
    title: str
    steps: tuple[Step, ...]


class MigrationPlan(Value, frozen=True, kw_only=True):
    """Everything needed to carry a table over. ``fingerprint`` identifies the schema the plan was made for."""

    schema_version: int = 1
    tool_version: str
    table: str
    scheme: str
    strategy: StrategyName
    reason: str
    server_version: int
    fingerprint: str
    phases: tuple[Phase, ...]
    warnings: tuple[str, ...] = ()
    disk_bytes_needed: int | None = None
