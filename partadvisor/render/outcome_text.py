"""What a run of a migration did, in a paragraph."""

from __future__ import annotations

from partadvisor.model.plan import ApplyReport


def outcome_text(report: ApplyReport) -> str:
    """What was done, how long it took, and how long anybody was kept waiting; two lines."""
    where = f"{report.table} to {report.scheme}: {report.state.replace('_', ' ')}"
    how = f"{len(report.steps_run)} steps in {report.seconds:.1f} s, {report.rows_copied:,} rows copied"
    waits = f"longest block {report.longest_block_ms:,.0f} ms, {report.lock_retries} lock attempts repeated"
    return f"{where}\n{how}, {waits}"
