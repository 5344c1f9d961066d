"""Rows, their rate and how long the rest will take, told at most twice a second."""

from __future__ import annotations

import time

from partadvisor.io.migrate.progress import OnProgress, Progress
from partadvisor.model.plan import Phase, Step

_REPORT_EVERY_S = 0.5


class Rate:
    """Counts the rows of one step. ``already`` were done by an earlier run."""

    def __init__(self, progress: OnProgress, phase: Phase, step: Step, expected: float | None, already: int) -> None:
        self.progress, self.phase, self.step, self.expected = progress, phase, step, expected
        self.began = self.said = time.monotonic()
        self.rows, self.already = 0, already

    def add(self, rows: int, message: str | None = None) -> None:
        """Some more are done; ``message`` says what is worth saying beside the numbers."""
        self.rows += rows
        if time.monotonic() - self.said >= _REPORT_EVERY_S:
            self.tell(message)

    def tell(self, message: str | None) -> None:
        """Tells how it stands."""
        self.said = time.monotonic()
        rate = self.rows / max(self.said - self.began, 0.001)
        done = self.already + self.rows
        left = max(self.expected - done, 0.0) / rate if self.expected and rate else None
        self.progress(
            Progress(
                phase=self.phase.name, step=self.step.id, title=self.step.title, message=message, rows_done=done,
                rows_expected=self.expected, rows_per_second=rate, seconds_left=left,
            )
        )  # fmt: skip
