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
    seconds_left: float | None = None
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
        pause: least rest after each batch, in times of what the batch took: 0.5 leaves a third of the time to others.
            None rests only as clients need, or 0.5 where it cannot be seen how clients fare.
        max_slowdown: batches rest longer while clients' statements take more than that many times as long as without
            them; None does not look.
        max_lag_s: batches wait while a standby or logical subscriber is further behind; None does not look.
        max_wal_bytes_per_s: batches wait while the server writes more WAL; None for no limit.
        give_up_after_s: how long a step may keep trying to get its locks; None for as long as it takes.
        second_comparison: compare the old table with the new one again after the swap. Both were compared before it,
            and nothing can change unnoticed from there to the swap; it costs as much as the first comparison.
        busy_wait_s: how long to wait for another run of the same migration to end, such as one just killed.
    """

    pause: float | None = None
    max_slowdown: float | None = 1.3
    max_lag_s: float | None = 10.0
    max_wal_bytes_per_s: float | None = None
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
