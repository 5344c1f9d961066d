"""Makes the batches of a step give way: to standbys that fall behind, to a limit of WAL, to clients that get slower."""

from __future__ import annotations

import time
from collections.abc import Callable

from partadvisor.io.migrate.foreground import Foreground
from partadvisor.io.migrate.progress import ApplyOptions
from partadvisor.io.migrate.standbys import Standbys
from partadvisor.io.migrate.worker import Worker

_LOOK_EVERY_S = 2.0
_REST_AGAIN_AFTER_S = 60.0
"""The day's load changes; what clients need without us is measured again as often."""
_WORTH_IT_S = 1.0
_MEASURE_S = 2.0
_HOLD_S = 0.5
_UNWATCHED_PAUSE = 0.5
"""Where clients cannot be watched: leaves a third of the time to them."""
_FIRST_PAUSE, _LONGEST_PAUSE = 1.0, 30.0
_EASE, _SLACK = 0.6, 0.75
"""The pause shrinks by that much while less than that part of the allowed slowdown is used."""
_BURST_S = 1.0
_NOTICED = 1.05


class Throttle:
    """Rests between the batches of one run; what it is told to call hears why."""

    def __init__(self, worker: Worker, options: ApplyOptions) -> None:
        self.worker, self.options = worker, options
        self.standbys = Standbys(worker)
        self.foreground = Foreground(worker) if options.max_slowdown else None
        watched = self.foreground is not None and self.foreground.source is not None
        self.least = options.pause if options.pause is not None else 0.0 if watched else _UNWATCHED_PAUSE
        self.pause = self.least
        self.slowdown: float | None = None
        self.own = (0, 0.0)
        self.worked_s = 0.0
        self.looked = self.rested = float("-inf")
        self.bucket: tuple[float, float] | None = None

    def before(self, say: Callable[[str], None]) -> None:
        """Before a batch: measures what clients need without us, where that has not been done for long.

        Not for work that is over in a moment.
        """
        now, clients = time.monotonic(), self.foreground
        due = self.worked_s > _WORTH_IT_S and now - self.rested > _REST_AGAIN_AFTER_S
        if clients is None or clients.source is None or not due:
            return
        say(f"resting {_MEASURE_S:g} s to see how fast clients' statements are without it")
        first = not clients.means
        clients.mark()
        self.worker.sleep(_MEASURE_S)
        clients.rested()
        if first and clients.means:
            self.pause = max(self.least, _FIRST_PAUSE)
        self.rested = self.looked = time.monotonic()
        self.own = (0, 0.0)

    def after(self, seconds: float, say: Callable[[str], None]) -> None:
        """After a batch that took ``seconds``: rests as long as it has to."""
        self.own = (self.own[0] + 1, self.own[1] + seconds * 1000)
        self.worked_s += seconds
        if self.foreground is not None and time.monotonic() - self.looked >= _LOOK_EVERY_S:
            self._look(self.foreground)
        self._hold(say)
        self.worker.sleep(seconds * self.pause)

    def reason(self) -> str | None:
        """Why it rests longer than it was told to, in words."""
        if self.slowdown is None or self.slowdown < _NOTICED or self.pause <= self.least:
            return None
        return f"clients' statements take {self.slowdown:.2f} times as long as without it, pausing {self.pause:.1f}x"

    def _look(self, clients: Foreground) -> None:
        if not clients.means:
            return
        self.looked = time.monotonic()
        self.slowdown = clients.slowdown(self.own)
        self.own = (0, 0.0)
        self.pause = next_pause(self.pause, self.slowdown, self.options.max_slowdown or 0.0, self.least)

    def _hold(self, say: Callable[[str], None]) -> None:
        """Waits while a standby is too far behind or too much WAL was written."""
        while why := self._too_far() or self._too_fast():
            say(why)
            self.worker.sleep(_HOLD_S)

    def _too_far(self) -> str | None:
        limit = self.options.max_lag_s
        if limit is None and self.options.max_wal_bytes_per_s is None:
            return None
        found = self.standbys.furthest_behind(time.monotonic())
        if limit is None or found is None or found[1] <= limit:
            return None
        return f'waiting: standby "{found[0]}" is {found[1]:.1f} s behind, the limit is {limit:g} s'

    def _too_fast(self) -> str | None:
        limit, now = self.options.max_wal_bytes_per_s, time.monotonic()
        if limit is None:
            return None
        position = self.standbys.position
        began, base = self.bucket = self.bucket or (now, position)
        due = began + (position - base) / limit
        if now >= due:
            if now - due > _BURST_S:
                self.bucket = (now, position)
            return None
        return f"waiting: WAL was written at more than {limit / 1e6:g} MB/s"


def next_pause(pause: float, slowdown: float | None, limit: float, least: float) -> float:
    """The pause (in times of a batch) after a look: doubled when clients are too slow, eased when all is well."""
    if slowdown is None:
        return least
    if slowdown > limit:
        return min(max(pause, _FIRST_PAUSE / 2) * 2, _LONGEST_PAUSE)
    if slowdown < 1 + (limit - 1) * _SLACK:
        eased = pause * _EASE
        return max(least, eased if eased > 0.05 else 0.0)
    return pause
