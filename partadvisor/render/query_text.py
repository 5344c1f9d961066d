"""What a scheme does to the queries, for people: those that get worse first, then the statements to look at."""

from __future__ import annotations

from itertools import groupby

from partadvisor.model.advice import Candidate, Effect, Incompatibility, QueryEffect
from partadvisor.render.style import Style, percent, quantity, wrapped

INDENT = "  "
LABEL = 13
_NAMED = 3  # statements named for one rule
_HEADS: dict[Effect, str] = {
    "fails": "will fail",
    "wrong": "goes wrong",
    "retry": "may fail",
    "slower": "plans",
    "differs": "differs",
}


def field(label: str, text: str, width: int, style: Style) -> list[str]:
    """A labelled paragraph with a hanging indent; nothing for no text."""
    if not text:
        return []
    lines = wrapped(text, width, first=" " * (LABEL + 2))
    lines[0] = INDENT + style.dim(label.ljust(LABEL)) + lines[0].lstrip()
    return lines


def worse_lines(chosen: Candidate, width: int, style: Style) -> list[str]:
    """The queries that lose time: the factor, what it adds to a call and in all, and why."""
    reads = chosen.worse_queries or len(chosen.worse)
    if not reads:
        return field("get worse", "none of the known queries", width, style)
    lines: list[str] = []
    for number, effect in enumerate(chosen.worse):
        lines += field("get worse" if number == 0 else "", _worse(effect, style), width, style)
    if reads > len(chosen.worse):
        lines += field("", f"and {reads - len(chosen.worse)} more that lose less (--details)", width, style)
    return lines


def _worse(effect: QueryEffect, style: Style) -> str:
    rate = "" if effect.calls_per_second is None else f", {quantity(effect.calls_per_second)}/s"
    total = effect.added_ms_per_second
    summed = "" if total is None or total < 0.1 else f" = {quantity(total)} ms/s"
    why = "; ".join(effect.causes) or f"{quantity(effect.partitions_touched)} partitions"
    factor = f"{_factor(effect.time_ratio, style)} " if effect.time_known else ""
    return f"{factor}{effect.name}: {_time(effect.added_ms)} a call more{rate}{summed}; {why} ({effect.why})"


def _factor(ratio: float, style: Style) -> str:
    """``+2.1 %`` for little, ``2.4x`` for much."""
    if ratio < 2:
        return f"+{percent(ratio - 1)}"
    return style.yellow(f"{ratio:.1f}x" if ratio < 10 else f"{ratio:,.0f}x")


def _time(ms: float) -> str:
    return f"{quantity(ms)} ms" if ms >= 0.1 else f"{quantity(1000 * ms)} us"


def compatibility_lines(chosen: Candidate, width: int, style: Style) -> list[str]:
    """Statements that fail or act differently, one paragraph a rule, with the remedy."""
    lines: list[str] = []
    shown = ""
    for _, group in groupby(chosen.compatibility, key=lambda f: f.rule):
        found = list(group)
        head = "change first" if found[0].change_first else _HEADS[found[0].effect]
        text = _of_rule(found)
        painted = style.yellow(text) if found[0].change_first else text
        lines += field("" if head == shown else head, painted, width, style)
        shown = head
    left = chosen.incompatible - len(chosen.compatibility)
    return lines + field("", f"and {left} more that run less often (--details)", width, style) if left > 0 else lines


def _of_rule(found: list[Incompatibility]) -> str:
    first = found[0]
    others = list(dict.fromkeys(f.statement for f in found[1:] if f.statement != first.statement))
    named = ", ".join(others[:_NAMED])
    rest = f" and {len(others) - _NAMED} more" if len(others) > _NAMED else ""
    also = f"; also {named}{rest}" if others else ""
    return f"{first.text}{also}. Remedy: {first.remedy} [{first.rule}]"
