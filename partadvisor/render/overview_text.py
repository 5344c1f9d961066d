"""The advice on several tables at a glance: one line each, groups that go together, and what is left out."""

from __future__ import annotations

from collections.abc import Sequence

from partadvisor.model.advice import Advice, Candidate, KeyGroup, OtherTables, TableAdvice
from partadvisor.render.query_text import INDENT, field
from partadvisor.render.style import Style, percent, quantity, wrapped

MOST_SECTIONS = 5
"""Tables shown in full; all of them are in the overview."""
ANSWER = {
    "partition": "partition",
    "do_not_partition": "do not partition",
    "already_partitioned": "already partitioned",
    "no_feasible_key": "no feasible key",
    "insufficient": "not enough evidence",
}


def chosen_of(table: TableAdvice) -> Candidate | None:
    """The recommended candidate."""
    return next((c for c in table.candidates if c.rank == table.recommended), None)


def overview(tables: Sequence[TableAdvice], width: int, style: Style) -> list[str]:
    """All tables that are looked at, one a line, hottest first."""
    longest = min(max(len(t.table) for t in tables), width // 2)
    lines = []
    for table in tables:
        chosen = chosen_of(table)
        name = table.table if len(table.table) <= longest else table.table[: longest - 1] + "…"
        answer = ANSWER[table.verdict]
        if chosen is not None:
            gain = chosen.throughput_ratio
            answer = f"{style.green(chosen.scheme)}, {gain.low:.1f} - {gain.high:.1f}x"
        shared = f" (shares {table.group})" if table.group else ""
        lines.append(f"{INDENT}{style.bold(name.ljust(longest))}  {answer}{shared}")
    if any(table.together for table in tables):
        count = sum(bool(table.together) for table in tables)
        said = f"These {count} at the same time: while sessions queue at one of them, the others gain little."
        lines += ["", *wrapped(said, width, first=INDENT)]
    return lines


def group_lines(group: KeyGroup, width: int, style: Style) -> list[str]:
    """Tables to be partitioned together."""
    lines = [f"{style.bold(group.name)}: one key in {len(group.members)} tables, {style.green('all or none')}", ""]
    for number, member in enumerate(group.members):
        lines += field("together" if number == 0 else "", f"{member.table}: {member.scheme}", width, style)
    lines += field("why", group.why, width, style)
    for number, join in enumerate(group.joins):
        rate = "" if join.calls_per_second is None else f", {quantity(join.calls_per_second)}/s"
        lines += field(
            "joins" if number == 0 else "", f"{join.statement}: {' = '.join(join.columns)}{rate}", width, style
        )
    lines += field("one alone", group.alone, width, style)
    for setting in group.settings:
        lines += field("set", setting, width, style)
    return lines


def rest(advice: Advice, width: int, style: Style) -> list[str]:
    """Tables without a section of their own."""
    lines: list[str] = []
    unseen = len(advice.tables) - MOST_SECTIONS
    if unseen > 0:
        lines += field(
            "more", f"{unseen} more of the tables above in full with --table NAME, or --format json", width, style
        )
    if advice.others is not None:
        lines += field("others", _others(advice.others), width, style)
    return [*lines, ""] if lines else []


def _others(others: OtherTables) -> str:
    tables = "1 other table" if others.tables == 1 else f"{others.tables:,} other tables"
    if others.most_waiting is None:
        return f"{tables}; --table NAME shows one"
    share = percent(others.extension_share)
    return f"{tables}: at most {share} of the session time waits to extend one of them ({others.most_waiting})"
