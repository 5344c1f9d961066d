"""Runs a plan up to the swap, and on request to its end."""

from __future__ import annotations

import time
from pathlib import Path

from partadvisor.io.migrate.journal import Journal, read_journal, state_of
from partadvisor.io.migrate.preflight import preflight
from partadvisor.io.migrate.progress import ApplyOptions, OnProgress, Stop, never, silent
from partadvisor.io.migrate.report import make_report
from partadvisor.io.migrate.steps import StepRunner
from partadvisor.io.migrate.worker import Worker
from partadvisor.io.plan_files import read_plan
from partadvisor.model.errors import UsageError
from partadvisor.model.plan import SECOND_COMPARISON, ApplyReport, MigrationPlan, Phase, Step
from partadvisor.planner.journal import ROLLBACK

FINISH = "finish"
"""Name of the phase that only runs when asked for."""


def apply(
    plan_dir: Path,
    dsn: str,
    *,
    dry_run: bool = False,
    finish: bool = False,
    progress: OnProgress = silent,
    stop: Stop = never,
    options: ApplyOptions | None = None,
) -> ApplyReport:
    """Runs a plan, or goes on where an earlier run ended, up to the swap; with ``finish`` also the last phase.

    Args:
        plan_dir: what ``plan`` wrote.
        dsn: libpq connection string of a direct connection.
        dry_run: only the pre-flight checks; ``steps_run`` then lists the steps that would run.
        finish: stop mirroring and drop the old table. There is no way back.
        progress: hears every step, batch and failed lock attempt.
        stop: asked all the time; once true, work ends with the state kept.
        options: how gently to run.

    Raises:
        UsageError: the plan does not fit the server or its schema, a right is missing, or another run is at work.
        CheckFailed: old and new table differ.
        ServerError: the server refused a statement or is gone; the state is kept.
        Stopped: ``stop`` became true; the state is kept.
    """
    plan, options = read_plan(plan_dir), options or ApplyOptions()
    began = time.monotonic()
    with Worker(dsn, stop) as worker:
        worker.exclude_others(plan.table, options.busy_wait_s)
        journal = read_journal(worker, plan)
        _refuse_half_rolled_back(plan, journal)
        notes = preflight(worker, plan, journal)
        todo = [
            (phase, step)
            for phase, step in _todo(plan, journal, finish=finish)
            if options.second_comparison or step.id != SECOND_COMPARISON
        ]
        runner = StepRunner(worker, plan, options, progress)
        for phase, step in [] if dry_run else todo:
            runner.run(phase, step)
        if dry_run:
            runner.tally.steps = [step.id for _, step in todo]
        return make_report(plan, read_journal(worker, plan), runner.tally, time.monotonic() - began, notes)


def _refuse_half_rolled_back(plan: MigrationPlan, journal: Journal) -> None:
    if ROLLBACK in journal:
        raise UsageError(
            f'the migration of table "{plan.table}" is being rolled back', hint="Run rollback again to end that first."
        )


def _todo(plan: MigrationPlan, journal: Journal, *, finish: bool) -> list[tuple[Phase, Step]]:
    phases = [phase for phase in plan.phases if finish or phase.name != FINISH]
    done = {entry.step for entry in journal.values() if entry.state == "done"}
    if state_of(plan, journal) in {"finishing", "finished"}:  # what was left out before has nothing to look at any more
        phases = [phase for phase in phases if phase.name == FINISH]
    return [(phase, step) for phase in phases for step in phase.steps if step.id not in done]
