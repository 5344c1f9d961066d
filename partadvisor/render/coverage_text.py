"""How much of the workload the advice rests on, and why not on the rest."""

from __future__ import annotations

from partadvisor.model.workload import Coverage, Gap
from partadvisor.render.query_text import field
from partadvisor.render.style import Style, percent

_MOST_GAPS = 5


def coverage_lines(coverage: Coverage, width: int, style: Style) -> list[str]:
    """A headline, then the reasons for what was not understood, the costliest first."""
    lines = field("queries", _headline(coverage), width, style)
    for number, gap in enumerate(coverage.gaps[:_MOST_GAPS]):
        lines += field("not" if number == 0 else "", _gap(gap), width, style)
    if len(coverage.gaps) > _MOST_GAPS:
        rest = coverage.gaps[_MOST_GAPS:]
        lines += field("", f"{_families(sum(g.families for g in rest))} for {len(rest)} more reasons", width, style)
    for note in coverage.notes:
        lines += field("", note, width, style)
    return lines


def _headline(coverage: Coverage) -> str:
    if not coverage.gaps:
        return f"all understood: {_families(coverage.families)}"
    return (
        f"{coverage.understood_families} of {_families(coverage.families)} are understood, with"
        f" {_share(coverage.calls_share)} of the calls and {_share(coverage.time_share)} of the time;"
        " the reads of the others are not counted"
    )


def _gap(gap: Gap) -> str:
    return (
        f"{_families(gap.families)}, {_share(gap.calls_share)} of the calls and {_share(gap.time_share)} of the time:"
        f" {gap.reason}"
    )


def _families(number: int) -> str:
    return "1 query family" if number == 1 else f"{number:,} query families"


def _share(share: float) -> str:
    """Never rounded to all where something is missing."""
    return "over 99 %" if 0.995 <= share < 1 else percent(share)
