"""What ``apply``, ``rollback`` and ``demo`` have in common: showing a running migration and its outcome."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from partadvisor.cli import streams

_MESSAGE_SECONDS = 10.0
"""Least time between two messages about a repeated attempt where each is a line of its own."""

if TYPE_CHECKING:
    from partadvisor.io.migrate.progress import Progress
    from partadvisor.model.plan import ApplyReport


def on_progress(report: streams.Report) -> Callable[[Progress], None]:
    """A listener for the runner that feeds a progress display."""
    said = -_MESSAGE_SECONDS

    def listen(progress: Progress) -> None:
        nonlocal said
        text = progress.title
        if progress.message and (streams.is_live() or time.monotonic() - said >= _MESSAGE_SECONDS):
            said, text = time.monotonic(), progress.message
        report(f"{progress.phase}: {text}{_rate(progress)}", _share(progress))

    return listen


def _share(progress: Progress) -> float | None:
    if progress.rows_done is None or not progress.rows_expected:
        return None
    return min(1.0, progress.rows_done / progress.rows_expected)


def _rate(progress: Progress) -> str:
    # On a terminal only: elsewhere each changed text is a new line.
    if progress.rows_per_second is None or not streams.is_live():
        return ""
    return f", {progress.rows_done or 0:,} rows, {progress.rows_per_second:,.0f}/s"


def outcome_text(report: ApplyReport) -> str:
    """One paragraph: what was done, how long, and how long anybody was kept waiting."""
    where = f"{report.table} to {report.scheme}: {report.state.replace('_', ' ')}"
    how = f"{len(report.steps_run)} steps in {report.seconds:.1f} s, {report.rows_copied:,} rows copied"
    waits = f"longest block {report.longest_block_ms:,.0f} ms, {report.lock_retries} lock attempts repeated"
    return f"{where}\n{how}, {waits}"
