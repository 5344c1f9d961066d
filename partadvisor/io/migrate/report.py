"""What a run did, as a value."""

from __future__ import annotations

from partadvisor.io.migrate.journal import Journal, state_of
from partadvisor.io.migrate.steps import Tally
from partadvisor.model.plan import ApplyReport, MigrationPlan


def make_report(
    plan: MigrationPlan, journal: Journal | None, tally: Tally, seconds: float, notes: list[str]
) -> ApplyReport:
    """The report of a run; ``journal`` is None after a rollback."""
    entries = (journal or {}).values()
    return ApplyReport(
        plan_id=plan.plan_id, table=plan.table, strategy=plan.strategy, scheme=plan.scheme,
        state="rolled_back" if journal is None else state_of(plan, journal),
        rows_copied=sum(entry.rows or 0 for entry in entries), seconds=seconds,
        longest_block_ms=tally.longest_block_ms, lock_retries=tally.retries,
        steps_run=tuple(tally.steps), preflight=tuple(notes),
    )  # fmt: skip
