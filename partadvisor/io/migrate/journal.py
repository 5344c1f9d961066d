"""Reads how far a migration is; what is written is in ``planner.journal``, as part of each step."""

# ruff: noqa: S608  (names come from planner.names, values are quoted)

from __future__ import annotations

from partadvisor.io.migrate.worker import Worker, server_failures
from partadvisor.model.base import Value
from partadvisor.model.plan import MigrationPlan, MigrationState
from partadvisor.pg.quote import quote_literal
from partadvisor.planner.journal import ROLLBACK
from partadvisor.planner.names import JOURNAL, STATE_SCHEMA


class Entry(Value, frozen=True, kw_only=True):
    """One step that has begun."""

    step: str
    state: str
    rows: int | None
    seconds_since_start: float


Journal = dict[str, Entry]


def read_journal(worker: Worker, plan: MigrationPlan) -> Journal:
    """Entries by step; empty when the migration has not begun, or was rolled back."""
    if not worker.read(f"SELECT to_regclass({quote_literal(JOURNAL)}) IS NOT NULL")[0][0]:
        return {}
    rows = worker.read(
        "SELECT step, state, rows, extract(epoch FROM clock_timestamp() - started)::float8\n"
        f"FROM {JOURNAL} WHERE plan_id = {quote_literal(plan.plan_id)}"
    )
    return {r[0]: Entry(step=r[0], state=r[1], rows=r[2], seconds_since_start=r[3]) for r in rows}


def state_of(plan: MigrationPlan, journal: Journal) -> MigrationState:
    """Where the migration is."""
    done = {entry.step for entry in journal.values() if entry.state == "done"}
    if not journal:
        return "not_started"
    if any(step.point_of_no_return and step.id in done for step in plan.steps):
        return "finished" if plan.steps[-1].id in done else "finishing"
    swaps = {step.id for phase in plan.phases if phase.name == "swap" for step in phase.steps[:1]}
    return "swapped" if swaps & done and ROLLBACK not in journal else "running"


def forget(worker: Worker, plan: MigrationPlan) -> None:
    """Removes the plan's entries, and the journal itself with its schema when nothing else uses them; all or nothing.

    Raises:
        ServerError: the server refused or is gone.
    """
    with server_failures(worker), worker.transaction():
        worker.execute(f"DELETE FROM {JOURNAL} WHERE plan_id = {quote_literal(plan.plan_id)}")
        others = worker.execute(
            f"SELECT (SELECT count(*) FROM {JOURNAL}) + (SELECT count(*) FROM pg_class\n"
            f"  WHERE relnamespace = {quote_literal(STATE_SCHEMA)}::regnamespace\n"
            "    AND relkind IN ('r', 'p') AND relname <> 'journal')"
        )[0][0]
        if not others:
            worker.execute(f"DROP TABLE {JOURNAL}; DROP SCHEMA {STATE_SCHEMA}")
