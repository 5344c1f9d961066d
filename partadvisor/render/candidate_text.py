"""One scheme for people: how full its partitions get, what it costs, what forbids it."""

from __future__ import annotations

from partadvisor.model.advice import Candidate, TableAdvice
from partadvisor.render.curve_text import curve_lines
from partadvisor.render.query_text import INDENT, LABEL, compatibility_lines, field, worse_lines
from partadvisor.render.style import Style, percent, quantity

_MOST_BARS = 16


def candidate_text(table: TableAdvice, one: Candidate, *, width: int, colour: bool) -> str:
    """Everything about one candidate, lines of about ``width`` columns, ending in a newline."""
    style, gain = Style(colour), one.throughput_ratio
    lines = field("throughput", f"{gain.low:.1f} to {gain.high:.1f} times, {gain.expected:.2f} expected", width, style)
    for blocker in one.blockers:
        lines += field("not possible", f"{blocker.text} [{blocker.rule}]", width, style)
    lines += [*worse_lines(one, width, style), *compatibility_lines(one, width, style), *fill_lines(one, style)]
    if one.rank == table.recommended:
        lines += choice_lines(table, one, width, style)
    else:
        lines += cost_lines(one, width, style)
    return "\n".join(lines) + "\n"


def fill_lines(chosen: Candidate, style: Style) -> list[str]:
    """How full the partitions of the chosen scheme get, as bars; many are summed up by the first ones."""
    shares = sorted(chosen.write.shares, reverse=True)
    if len(shares) < 2:
        return []
    top = shares[0]
    shown = shares[:_MOST_BARS]
    blocks = "".join("▁▂▃▄▅▆▇█"[min(7, int(8 * s / top))] if s > 0 else "·" for s in shown)
    rest = f" and {len(shares) - len(shown)} more" if len(shares) > len(shown) else ""
    empty = sum(s == 0 for s in shares)
    spare = f", {empty} stay empty" if empty else ""
    effect = f"like {chosen.write.effective_partitions:.1f} equally full ones{spare} ({_SOURCE[chosen.write.source]})"
    return [
        f"{INDENT}{style.dim('fill'.ljust(LABEL))}{style.cyan(blocks)}{rest}",
        f"{INDENT}{''.ljust(LABEL)}{effect}",
    ]


_SOURCE = {
    "recent_rows": "from the rows inserted last",
    "statistics": "from the column statistics",
    "assumed": "assumed: nothing is known of the values",
}


def choice_lines(table: TableAdvice, chosen: Candidate, width: int, style: Style) -> list[str]:
    """What the chosen scheme costs, and what would change the choice."""
    lines = [*curve_lines(table, chosen, width, style), *_burdens(chosen, width, style)]
    for number, loss in enumerate(table.losses):
        lines += field("you give up" if number == 0 else "", loss, width, style)
    lines += field("would change", chosen.sensitivity, width, style)
    return lines


def cost_lines(one: Candidate, width: int, style: Style) -> list[str]:
    """The same of a scheme that is not the chosen one, for which no curves are made."""
    return [*_burdens(one, width, style), *field("would change", one.sensitivity, width, style)]


def _burdens(one: Candidate, width: int, style: Style) -> list[str]:
    lines = field("reads", _reads(one), width, style)
    for warning in one.warnings:
        lines += field("mind", warning, width, style)
    return lines


def _reads(chosen: Candidate) -> str:
    read = chosen.read
    unit = "of the planner's cost" if read.verified else "time"
    change = f"{100 * (read.cost_ratio - 1):+.1f} % {unit}" if abs(read.cost_ratio - 1) >= 0.0005 else "no extra time"
    lock = chosen.locks
    unpruned = f", {percent(read.unpruned_share)} of them look into every partition" if read.unpruned_share else ""
    return (
        f"{quantity(read.partitions_per_query)} of {chosen.partitions} partitions a query{unpruned}; {change}; at most "
        f"{lock.per_query_max} relation locks a query ({lock.fast_path_slots} are cheap)"
    )
