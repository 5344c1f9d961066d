"""Extension-lock waits of a log in time: which relation, when, for how long, how many sessions at once.

The server logs a wait when it has lasted ``deadlock_timeout``, and again when it ends, so one wait may be two lines
and shorter waits are none at all: what is counted here is a lower bound.
"""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Sequence

from partadvisor.model.activity import LogWait
from partadvisor.model.base import Value
from partadvisor.model.diagnosis import LogBucket, LogRelation, LogTimeline

_BUCKETS = 55
"""Steps of the timeline, so that it fits a narrow terminal."""
_STEPS_S = (1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 21_600, 86_400)
_TIME_FORMATS = ("%Y-%m-%d %H:%M:%S.%f", "%Y-%m-%d %H:%M:%S")
_TIME_CHARACTERS = 23


class _Wait(Value, frozen=True, kw_only=True):
    """One wait from ``start`` to ``end``, seconds since the epoch as the log's clock shows them."""

    relation: str
    table: str
    start: float
    end: float
    queue: int


def log_timeline(lines: Sequence[LogWait]) -> LogTimeline | None:
    """The waits by relation and by time; None when no line has a time that can be read."""
    waits = list(_waits(lines))
    if not waits:
        return None
    first, last = min(w.start for w in waits), max(w.end for w in waits)
    step = next((s for s in _STEPS_S if (last - first) / s <= _BUCKETS), _STEPS_S[-1])
    begin = first // step * step
    count = int((last - begin) // step) + 1
    return LogTimeline(
        bucket_seconds=float(step),
        waits=len(waits),
        relations=tuple(_relations(waits)),
        buckets=tuple(_bucket(waits, begin + n * step, step) for n in range(count)),
    )


def _waits(lines: Iterable[LogWait]) -> Iterable[_Wait]:
    """Lines put together: "still waiting" and the "acquired" that follows it are one wait."""
    open_waits: dict[tuple[int, str], _Wait] = {}
    for line in lines:
        at = _seconds(line.at)
        if at is None:
            continue
        key = (line.pid, line.relation)
        before = open_waits.pop(key, None)
        start = at - line.wait_ms / 1000
        same = before is not None and abs(before.start - start) < max(1.0, 0.1 * (at - start))
        if before is not None and not same:
            yield before
        queue = max(line.queue, before.queue if before and same else 0)
        wait = _Wait(relation=line.relation, table=line.table, start=start, end=at, queue=queue)
        if line.ended:
            yield wait
        else:
            open_waits[key] = wait
    yield from open_waits.values()


def _seconds(text: str) -> float | None:
    """A time as ``log_line_prefix`` prints it, without its zone, or an epoch time (``%n``)."""
    try:
        return float(text)
    except ValueError:
        plain = text.replace("T", " ").replace(",", ".")[:_TIME_CHARACTERS].strip()
    for form in _TIME_FORMATS:
        try:
            return datetime.datetime.strptime(plain, form).replace(tzinfo=datetime.UTC).timestamp()
        except ValueError:
            plain = plain if "%f" not in form else plain[:19]
    return None


def _relations(waits: Sequence[_Wait]) -> Iterable[LogRelation]:
    by_name: dict[str, list[_Wait]] = {}
    for wait in waits:
        by_name.setdefault(wait.relation, []).append(wait)
    found = [
        LogRelation(
            relation=name,
            table=own[0].table,
            waits=len(own),
            waited_s=sum(w.end - w.start for w in own),
            longest_s=max(w.end - w.start for w in own),
            deepest_queue=max(w.queue for w in own),
            first=_shown(min(w.start for w in own)),
            last=_shown(max(w.end for w in own)),
        )
        for name, own in by_name.items()
    ]
    return sorted(found, key=lambda r: -r.waited_s)


def _bucket(waits: Sequence[_Wait], start: float, step: float) -> LogBucket:
    within = [w for w in waits if w.start < start + step and w.end > start]
    waiting = sum(min(w.end, start + step) - max(w.start, start) for w in within) / step
    return LogBucket(
        start=_shown(start), waiting=waiting, waits=len(within), deepest_queue=max((w.queue for w in within), default=0)
    )


def _shown(seconds: float) -> str:
    return datetime.datetime.fromtimestamp(seconds, datetime.UTC).strftime("%Y-%m-%d %H:%M:%S")
