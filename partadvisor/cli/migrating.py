"""What ``apply``, ``rollback`` and ``demo`` have in common: showing a running migration."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from partadvisor.cli import streams

_MESSAGE_SECONDS = 10.0
"""Least time between two messages about a repeated attempt where each is a line of its own."""

if TYPE_CHECKING:
    from partadvisor.io.migrate.progress import Progress


def on_progress(report: streams.Report) -> Callable[[Progress], None]:
    """A listener for the runner that feeds a progress display."""
    said = -_MESSAGE_SECONDS

    def listen(progress: Progress) -> None:
        nonlocal said
        text = progress.title
        if progress.message and (streams.is_live() or time.monotonic() - said >= _MESSAGE_SECONDS):
            said, text = time.monotonic(), progress.message
        report(f"{progress.phase}: {text}{_rate(progress)}", progress.share)

    return listen


def _rate(progress: Progress) -> str:
    # On a terminal only: elsewhere each changed text is a new line.
    if progress.rows_per_second is None or not streams.is_live():
        return ""
    return f", {progress.rows_done or 0:,} rows, {progress.rows_per_second:,.0f}/s"
