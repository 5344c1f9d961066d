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
    said, step = -_MESSAGE_SECONDS, ""

    def listen(progress: Progress) -> None:
        nonlocal said, step
        text = (progress.message or progress.title) + _rate(progress)
        now, first = time.monotonic(), progress.step != step
        # Elsewhere than on a terminal each text is a line of its own.
        if not (streams.is_live() or first or (text != progress.title and now - said >= _MESSAGE_SECONDS)):
            return
        said = said if first else now
        step = progress.step
        report(f"{progress.phase}: {text}", progress.share)

    return listen


def _rate(progress: Progress) -> str:
    if progress.rows_per_second is None:
        return ""
    left = "" if progress.seconds_left is None else f", about {_duration(progress.seconds_left)} left"
    return f", {progress.rows_done or 0:,} rows, {progress.rows_per_second:,.0f}/s{left}"


def _duration(seconds: float) -> str:
    minutes = round(seconds / 60)
    return f"{seconds:.0f} s" if minutes < 2 else f"{minutes} min" if minutes < 120 else f"{minutes / 60:.1f} h"
