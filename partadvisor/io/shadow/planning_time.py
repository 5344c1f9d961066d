"""Processor time of planning, as the server itself counts it (``log_planner_stats``, getrusage).

EXPLAIN's own "Planning Time" goes by the clock: on a busy machine every plan of some milliseconds is interrupted, and
then the least of many is still too long.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from psycopg.errors import Diagnostic

from partadvisor.io.connect import Connection

SETTINGS = {"log_planner_stats": "on", "log_min_messages": "fatal"}
"""What a superuser has to let others set; the second keeps the counts out of the server's log."""

_TIMES = re.compile(r"!\s+([\d.]+) s user, ([\d.]+) s system")


@contextmanager
def planner_times(connection: Connection) -> Iterator[Callable[[], float | None]]:
    """Inside a transaction block; what it gives returns ms of planning since the last call, None when not told."""
    told: list[float] = []

    def note(message: Diagnostic) -> None:
        found = _TIMES.search(message.message_detail or "")
        if message.message_primary == "PLANNER STATISTICS" and found:
            told.append(1000 * sum(float(seconds) for seconds in found.groups()))

    def taken() -> float | None:
        total = sum(told) if told else None
        told.clear()
        return total

    for name, value in (SETTINGS | {"client_min_messages": "log"}).items():
        connection.execute(f"SET LOCAL {name} = {value}".encode())
    connection.add_notice_handler(note)
    try:
        yield taken
    finally:
        connection.remove_notice_handler(note)
