"""A migration plan: phases of steps, each with its locks, its growth and its undo, as data.

``plan.json`` is the JSON form of :class:`MigrationPlan`; the numbered SQL files hold the same statements.
"""

from __future__ import annotations

from typing import Literal

from partadvisor.model.base import Value

DurationClass = Literal["instant", "scan", "copy", "wait"]
StrategyName = Literal["ahead", "attach", "copy", "rewrite"]
Isolation = Literal["read committed", "repeatable read"]
SECOND_COMPARISON = "compare_again"
"""Id of the step that compares once more after the swap; a runner may be told to leave it out."""

MigrationState = Literal["not_started", "running", "swapped", "finishing", "finished", "rolled_back"]
"""``finishing``: past the point of no return, with steps of the last phase still to be done."""


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
    differences; no rows means the check passed. ``isolation`` is that of the step's transactions. ``prelude_sql``
    is a batch like ``repeat_sql`` (always repeatable read) that the runner repeats before *every* attempt of the
    step, so that little is left to do under its locks; ``undo_prelude_sql`` is the same for ``undo_sql``.
    ``each_sql`` is a query whose rows are statements, run one by one outside a transaction (as psql's gexec does) until
    it gives no more. ``throttled``: batches of ``repeat_sql`` rest while they would disturb clients or standbys.
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
    each_sql: str | None = None
    throttled: bool = False
    check_sql: str | None = None
    isolation: Isolation = "read committed"
    prelude_sql: str | None = None
    undo_prelude_sql: str | None = None


class Phase(Value, frozen=True, kw_only=True):
    """Steps with one purpose: prepare, fill, verify, swap or finish."""

    name: str
    title: str
    steps: tuple[Step, ...]


class UpkeepFile(Value, frozen=True, kw_only=True):
    """A file to schedule once the migration is over; psql runs it as it stands."""

    name: str
    text: str


class MigrationPlan(Value, frozen=True, kw_only=True):
    """Everything needed to carry a table over. ``fingerprint`` identifies the schema the plan was made for.

    ``plan_id`` is part of the name of everything the plan makes beside the table itself; ``status_sql`` gives one
    row (rows copied, changes pending) once the work tables exist. ``relation`` and ``scope`` are the table's name
    and schema apart, since both may hold dots. ``partitions`` are those on all levels.
    """

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
    plan_id: str = ""
    scope: str = ""
    relation: str = ""
    rows_expected: float | None = None
    status_sql: str | None = None
    partitions: int = 0
    upkeep: tuple[UpkeepFile, ...] = ()

    @property
    def steps(self) -> tuple[Step, ...]:
        """All steps in the order they run in."""
        return tuple(step for phase in self.phases for step in phase.steps)


class ApplyReport(Value, frozen=True, kw_only=True):
    """What one run of ``apply`` or ``rollback`` did.

    ``longest_block_ms`` is the longest time from asking for a lock that stops writers to giving it back, failed
    attempts included; ``lock_retries`` counts those that failed. ``seconds`` is this run's.
    """

    plan_id: str
    table: str
    strategy: StrategyName
    scheme: str
    state: MigrationState
    rows_copied: int = 0
    seconds: float = 0.0
    longest_block_ms: float = 0.0
    lock_retries: int = 0
    steps_run: tuple[str, ...] = ()
    preflight: tuple[str, ...] = ()


class MigrationStatus(Value, frozen=True, kw_only=True):
    """Where a migration is. ``rows_per_second`` is since the fill began, None before or after it."""

    plan_id: str
    table: str
    strategy: StrategyName
    scheme: str
    state: MigrationState
    phase: str
    step: str | None = None
    steps_done: int = 0
    steps_total: int = 0
    rows_copied: int = 0
    rows_expected: float | None = None
    rows_per_second: float | None = None
    changes_pending: int = 0
    running: bool = False
