"""Where a migration is."""

from __future__ import annotations

from pathlib import Path

from partadvisor.io.migrate.journal import Journal, read_journal, state_of
from partadvisor.io.migrate.progress import never
from partadvisor.io.migrate.worker import Worker
from partadvisor.io.plan_files import read_plan
from partadvisor.model.plan import MigrationPlan, MigrationStatus
from partadvisor.pg.quote import quote_literal, quote_qualified
from partadvisor.planner.names import STATE_SCHEMA


def status(plan_dir: Path, dsn: str) -> MigrationStatus:
    """Where a migration is; takes no lock that anybody waits for.

    Raises:
        ServerError: unreachable or gone.
    """
    plan = read_plan(plan_dir)
    with Worker(dsn, never) as worker:
        journal = read_journal(worker, plan)
        rows, pending = _counters(worker, plan, journal)
        running = worker.others_at_work(plan.table)
    phase, step = _current(plan, journal)
    fill = journal.get("fill")
    rate = rows / fill.seconds_since_start if fill and fill.state == "running" and running else None
    return MigrationStatus(
        plan_id=plan.plan_id, table=plan.table, strategy=plan.strategy, scheme=plan.scheme,
        state=state_of(plan, journal), phase=phase, step=step,
        steps_done=sum(entry.state == "done" for entry in journal.values()), steps_total=len(plan.steps),
        rows_copied=rows, rows_expected=plan.rows_expected, rows_per_second=rate, changes_pending=pending,
        running=running,
    )  # fmt: skip


def _counters(worker: Worker, plan: MigrationPlan, journal: Journal) -> tuple[int, int]:
    """Rows copied, and changes not applied yet; the work tables are gone when the migration is finished."""
    table = quote_literal(quote_qualified(STATE_SCHEMA, f"position_{plan.plan_id}"))
    if plan.status_sql and journal and worker.read(f"SELECT to_regclass({table}) IS NOT NULL")[0][0]:
        rows, pending = worker.read(plan.status_sql)[0]
        return int(rows), int(pending)
    return sum(entry.rows or 0 for entry in journal.values()), 0


def _current(plan: MigrationPlan, journal: Journal) -> tuple[str, str | None]:
    """Phase and step that come next, or the last phase."""
    past = state_of(plan, journal) in {"finishing", "finished"}  # a comparison left out before is not made any more
    for phase in plan.phases[-1:] if past else plan.phases:
        for step in phase.steps:
            if step.id not in journal or journal[step.id].state != "done":
                return phase.name, step.id
    return plan.phases[-1].name, None
