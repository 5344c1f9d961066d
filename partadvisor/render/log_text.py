"""Logged extension waits over time: a skyline of waiting sessions, and the relations they waited for."""

from __future__ import annotations

from partadvisor.model.diagnosis import LogBucket, LogRelation, LogTimeline
from partadvisor.render.style import Style, pad, quantity, wrapped

_SKYLINE = "▁▂▃▄▅▆▇█"
_MOST_RELATIONS = 5


def log_lines(timeline: LogTimeline | None, style: Style, width: int) -> list[str]:
    """Lines of at most ``width`` characters (from 60 on)."""
    if timeline is None:
        return []
    most = max(timeline.buckets, key=lambda b: b.waiting)
    step = f"{timeline.bucket_seconds:.0f} s"
    return [
        style.bold(f"What the log shows: {timeline.waits:,} waits longer than deadlock_timeout"),
        f"  {style.cyan(_skyline(timeline.buckets, most.waiting))}",
        *wrapped(
            f"{timeline.buckets[0].start} to {timeline.buckets[-1].start}, {step} a step; most sessions at "
            f"{most.start}: {quantity(most.waiting)} on average",
            width,
            first="  ",
        ),
        *(line for relation in timeline.relations[:_MOST_RELATIONS] for line in _relation(relation, width)),
        *_more(timeline, style),
    ]


def _skyline(buckets: tuple[LogBucket, ...], most: float) -> str:
    return "".join(
        _SKYLINE[min(7, int(8 * bucket.waiting / most))] if bucket.waiting > 0 else " " for bucket in buckets
    ).rstrip()


def _relation(relation: LogRelation, width: int) -> list[str]:
    queue = f", up to {relation.deepest_queue} in the queue" if relation.deepest_queue else ""
    owner = "" if relation.table == relation.relation else f" of {relation.table}"
    text = (
        f"{relation.relation}{owner}: {relation.waits:,} waits, {quantity(relation.waited_s)} s in all, the longest "
        f"{relation.longest_s:.1f} s{queue}"
    )
    return wrapped(text, width, first=pad("", 2), rest=pad("", 4))


def _more(timeline: LogTimeline, style: Style) -> list[str]:
    more = len(timeline.relations) - _MOST_RELATIONS
    return [style.dim(f"  and {more} more relations")] if more > 0 else []
