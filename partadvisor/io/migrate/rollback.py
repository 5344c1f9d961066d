"""Undoes a migration, before or after the swap."""

from __future__ import annotations

import time
from pathlib import Path

from partadvisor.io.migrate.journal import Journal, forget, read_journal, state_of
from partadvisor.io.migrate.progress import ApplyOptions, OnProgress, Stop, never, silent
from partadvisor.io.migrate.report import make_report
from partadvisor.io.migrate.steps import StepRunner
from partadvisor.io.migrate.worker import Worker, server_failures
from partadvisor.io.plan_files import read_plan
from partadvisor.model.errors import UsageError
from partadvisor.model.plan import ApplyReport, MigrationPlan
from partadvisor.planner.journal import ROLLBACK, mark, unmark


def rollback(
    plan_dir: Path,
    dsn: str,
    *,
    progress: OnProgress = silent,
    stop: Stop = never,
    options: ApplyOptions | None = None,
) -> ApplyReport:
    """Undoes a migration. Before the swap everything made is dropped; after it the old table returns with all rows.

    Raises:
        UsageError: it has not begun, or is finished, or another run is at work.
        ServerError: the server refused a statement or is gone; rollback again goes on.
        Stopped: ``stop`` became true; rollback again goes on.
    """
    plan, options = read_plan(plan_dir), options or ApplyOptions()
    began = time.monotonic()
    with Worker(dsn, stop) as worker:
        worker.exclude_others(plan.table, options.busy_wait_s)
        journal = read_journal(worker, plan)
        _refuse_rollback(plan, journal)
        runner = StepRunner(worker, plan, options, progress)
        with server_failures(worker), worker.transaction():
            worker.execute(mark(plan, ROLLBACK, "running"))
        for phase, step in reversed([(p, s) for p in plan.phases for s in p.steps]):
            if step.id in journal:
                runner.undo(phase, step, unmark(plan, step.id))
        forget(worker, plan)
        return make_report(plan, None, runner.tally, time.monotonic() - began, [])


def _refuse_rollback(plan: MigrationPlan, journal: Journal) -> None:
    state = state_of(plan, journal)
    if state == "not_started":
        raise UsageError(f'no migration of table "{plan.table}" by this plan has begun')
    if state == "finishing":
        raise UsageError(
            f'the migration of table "{plan.table}" is past its point of no return',
            detail="The old table is still there, but lacks what was written since it is no longer mirrored.",
            hint="Run apply --finish again to drop it.",
        )
    if state == "finished":
        raise UsageError(
            f'the migration of table "{plan.table}" is finished',
            detail="The old table is gone.",
            hint="Plan a new migration to change the table again.",
        )
