"""Two candidates of a table side by side, line by line, with the better value marked."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from partadvisor.model.advice import Candidate
from partadvisor.render.style import Style, interval_bar, pad, percent, quantity, wrapped

_NAME = 17


def compare_text(left: Candidate, right: Candidate, *, width: int, colour: bool) -> str:
    """A table of two columns; where one is better its value is marked with ``+``."""
    style, room = Style(colour), (width - _NAME - 2) // 2
    lines = list(_beside("", left.scheme, right.scheme, room, style.bold))
    lines.append("─" * (_NAME + 2 + 2 * room))
    for name, show, worth in _MEASURES:
        ours, theirs = worth(left), worth(right)
        first = f"{'+ ' if ours > theirs else '  '}{show(left)}"
        second = f"{'+ ' if theirs > ours else '  '}{show(right)}"
        lines += _beside(name, first, second, room)
    top = max(left.throughput_ratio.high, right.throughput_ratio.high, 1.0)
    lines += [*_beside("gain, drawn", _drawn(left, top, room), _drawn(right, top, room), room)]
    for name, say in _WORDS:
        lines += _beside(name, say(left), say(right), room)
    return "\n".join(line.rstrip() for line in lines) + "\n"


def _drawn(one: Candidate, top: float, room: int) -> str:
    gain = one.throughput_ratio
    return "  " + interval_bar(gain.low / top, gain.expected / top, gain.high / top, max(8, room - 4))


def _beside(
    name: str, left: str, right: str, room: int, paint: Callable[[str], str] = lambda text: text
) -> Iterator[str]:
    columns = [[text] if len(text) < room else wrapped(text, room - 1, rest="  ") for text in (left, right)]
    for n in range(max(map(len, columns))):
        first, second = (column[n] if n < len(column) else "" for column in columns)
        yield f"{pad(name if n == 0 else '', _NAME)} {pad(paint(first), room)} {paint(second)}"


def _gain(one: Candidate) -> str:
    gain = one.throughput_ratio
    return f"{gain.expected:.2f}x ({gain.low:.1f} to {gain.high:.1f})"


_MEASURES: tuple[tuple[str, Callable[[Candidate], str], Callable[[Candidate], float]], ...] = (
    ("possible", lambda c: "yes" if c.feasible else "no", lambda c: float(c.feasible)),
    ("throughput", _gain, lambda c: round(c.throughput_ratio.expected, 2)),
    ("largest share", lambda c: percent(c.write.max_share), lambda c: -round(c.write.max_share, 3)),
    ("per insert", lambda c: f"{quantity(c.write.partitions_per_statement)} of {c.partitions} partitions",
     lambda c: -round(c.write.partitions_per_statement, 1)),
    ("per query", lambda c: f"{quantity(c.read.partitions_per_query)} of {c.partitions} partitions",
     lambda c: -round(c.read.partitions_per_query, 1)),
    ("read cost", lambda c: f"{c.read.cost_ratio:.3f} times today's", lambda c: -round(c.read.cost_ratio, 3)),
    ("unpruned", lambda c: percent(c.read.unpruned_share), lambda c: -round(c.read.unpruned_share, 3)),
    ("most locks", lambda c: f"{c.locks.per_query_max} a query", lambda c: -float(c.locks.per_query_max)),
    ("get worse", lambda c: f"{c.worse_queries or len(c.worse)} queries",
     lambda c: -float(c.worse_queries or len(c.worse))),
    ("statements", lambda c: f"{c.incompatible or len(c.compatibility)} to look at",
     lambda c: -float(c.incompatible or len(c.compatibility))),
)  # fmt: skip
_WORDS: tuple[tuple[str, Callable[[Candidate], str]], ...] = (
    ("way", lambda c: f"  {c.migration}"),
    ("next limit", lambda c: f"  {c.throughput_ratio.next_bottleneck}"),
    ("against it", lambda c: "  " + (" ".join(b.text for b in c.blockers) or "; ".join(c.warnings) or "nothing")),
)
