"""What a caller hears and may ask while a migration runs; loads no driver."""

from __future__ import annotations

from collections.abc import Callable

from partadvisor.model.base import Value


class Progress(Value, frozen=True, kw_only=True):
    """One report. ``message`` is set when there is something to say besides the numbers, such as who holds a lock."""

    phase: str
    step: str
    title: str
    rows_done: int | None = None
    rows_expected: float | None = None
    rows_per_second: float | None = None
    message: str | None = None

    @property
    def share(self) -> float | None:
        """How much of the rows is done (0..1), None where that is not known."""
        if self.rows_done is None or not self.rows_expected:
            return None
        return min(1.0, self.rows_done / self.rows_expected)


class ApplyOptions(Value, frozen=True, kw_only=True):
    """How gently to run.

    Attributes:
        pause: rest after each batch, in times of what the batch took: 0.5 leaves a third of the time to others.
        give_up_after_s: how long a step may keep trying to get its locks; None for as long as it takes.
        second_comparison: compare the old table with the new one again after the swap. Both were compared before it,
            and nothing can change unnoticed from there to the swap; it costs as much as the first comparison.
        busy_wait_s: how long to wait for another run of the same migration to end, such as one just killed.
    """

    pause: float = 0.5
    give_up_after_s: float | None = None
    busy_wait_s: float = 10.0
    second_comparison: bool = True


OnProgress = Callable[[Progress], None]
Stop = Callable[[], bool]


def silent(_progress: Progress) -> None:
    """Nobody listens."""


def never() -> bool:
    """Nobody stops it."""
    return False
