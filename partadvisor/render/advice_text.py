"""The advice for people: the answer first, then the candidates, then what speaks for and against them."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from partadvisor.model.advice import Advice, Candidate, TableAdvice
from partadvisor.render.candidate_text import choice_lines, fill_lines
from partadvisor.render.coverage_text import coverage_lines
from partadvisor.render.overview_text import ANSWER, MOST_SECTIONS, chosen_of, group_lines, overview, rest
from partadvisor.render.query_text import INDENT as _INDENT
from partadvisor.render.query_text import LABEL as _LABEL
from partadvisor.render.query_text import compatibility_lines, worse_lines
from partadvisor.render.query_text import field as _field
from partadvisor.render.shadow_text import verification_lines
from partadvisor.render.style import Style, bar, harmless, pad, percent, quantity, visible_length, wrapped

_BAR = 10
_LEAST_SCHEME = 18


def advice_text(advice: Advice, *, width: int = 100, colour: bool = False, source: str = "INPUT") -> str:
    """The advice as text of at most about ``width`` columns, ending in a newline.

    ``source`` is what was given as input, as a shell reads it, for the next command.
    """
    style = Style(colour)
    lines: list[str] = []
    if len(advice.tables) > 1:
        lines += [*overview(advice.tables, width, style), ""]
    for group in advice.groups:
        lines += [*group_lines(group, width, style), ""]
    for table in advice.tables[:MOST_SECTIONS]:
        lines += [*_table(table, width, style, source), ""]
    if not advice.tables:
        lines += [*wrapped(_nothing(advice), width), ""]
    lines += rest(advice, width, style)
    if advice.coverage is not None:
        lines += coverage_lines(advice.coverage, width, style)
    lines += _notes("assumed", advice.assumptions, width, style)
    lines += _notes("missing", advice.missing, width, style)
    return harmless("\n".join(line.rstrip() for line in lines).rstrip() + "\n")


def _nothing(advice: Advice) -> str:
    return (
        f"No table to advise on: {advice.diagnosis.reason} Name one with --table schema.table to see its keys anyway."
    )


def _table(table: TableAdvice, width: int, style: Style, source: str) -> list[str]:
    chosen = chosen_of(table)
    lines = [*_headline(table, chosen, width, style), ""]
    lines += _field("why", table.reason, width, style)
    if table.candidates:
        lines += ["", *_ranking(table, width, style)]
    if chosen is not None:
        lines += ["", *worse_lines(chosen, width, style), *compatibility_lines(chosen, width, style)]
        lines += ["", *fill_lines(chosen, style), *choice_lines(table, chosen, width, style)]
    lines += verification_lines(table, width, style)
    lines += _obstacles(table, width, style)
    lines += _details(table, width, style)
    if chosen is not None:
        lines += ["", *_next_command(table, chosen, style, source)]
    return lines


def _condition(chosen: Candidate) -> str:
    """What has to happen first in the application."""
    statements = {f.fingerprint for f in chosen.compatibility if f.change_first}
    if not statements:
        return ""
    return f", once {'1 statement is' if len(statements) == 1 else f'{len(statements)} statements are'} changed"


def _headline(table: TableAdvice, chosen: Candidate | None, width: int, style: Style) -> list[str]:
    """One sentence: the answer."""
    answer = ANSWER[table.verdict]
    if chosen is None:
        colour = style.yellow if table.verdict in ("no_feasible_key", "insufficient") else style.green
        return [f"{style.bold(table.table)}: {colour(answer)}"]
    gain = chosen.throughput_ratio
    first = f"{style.bold(table.table)}: {style.green(answer)} by {style.bold(chosen.scheme)}"
    promise = f"{gain.low:.1f} to {gain.high:.1f} times the throughput{_condition(chosen)}"
    joined = f"{first}, {promise}"
    return [joined] if visible_length(joined) <= width else [first + ",", _INDENT + promise]


def _ranking(table: TableAdvice, width: int, style: Style) -> list[str]:
    """The ranked candidates, one a line."""
    longest = max(len(c.scheme) for c in table.candidates)
    fixed = 62
    room = max(_LEAST_SCHEME, min(longest, width - fixed))
    head = (
        f"{_INDENT} # {'scheme'.ljust(room)}  {'largest share'.ljust(_BAR + 6)} {'per'.rjust(6)} "
        f"{'throughput'.rjust(11)} {'per'.rjust(6)}  way"
    )
    gap = " " * (room + 5)
    under = f"{_INDENT}{gap}{'of inserts'.ljust(_BAR + 6)} {'insert'.rjust(6)} {''.rjust(11)} {'query'.rjust(6)}"
    return [style.dim(head), style.dim(under), *(_row(c, table, room, style) for c in table.candidates)]


def _row(candidate: Candidate, table: TableAdvice, room: int, style: Style) -> str:
    gain = candidate.throughput_ratio
    mark = "*" if candidate.rank == table.recommended else "+" if candidate.named_by_user else " "
    scheme = candidate.scheme if len(candidate.scheme) <= room else candidate.scheme[: room - 1] + "…"
    share = f"{bar(candidate.write.max_share, _BAR)} {pad(percent(candidate.write.max_share), 5, right=True)}"
    ratio = f"{gain.low:.1f} - {gain.high:.1f}x"
    text = (
        f"{_INDENT}{mark}{candidate.rank} {scheme.ljust(room)}  {share} "
        f"{quantity(candidate.write.partitions_per_statement).rjust(6)} {ratio.rjust(11)} "
        f"{quantity(candidate.read.partitions_per_query).rjust(6)}  "
    )
    way = candidate.migration if candidate.feasible else "not possible"
    if not candidate.feasible:
        return style.dim(text) + style.red(way)
    return (style.bold(text) if mark == "*" else text) + way


def _obstacles(table: TableAdvice, width: int, style: Style) -> list[str]:
    """What forbids the infeasible candidates, with the fix, and what speaks against feasible ones."""
    lines: list[str] = []
    for candidate in table.candidates:
        if candidate.rank == table.recommended:
            continue
        said = [f"{b.text} [{b.rule}]" for b in candidate.blockers] or list(candidate.warnings[:1])
        for text in said:
            lines += _field(f"# {candidate.rank}", text, width, style)
    return ["", *lines] if lines else []


def _details(table: TableAdvice, width: int, style: Style) -> list[str]:
    """With ``--details``: every query for each candidate."""
    lines: list[str] = []
    for candidate in table.candidates:
        if candidate.queries is None:
            continue
        lines += ["", f"{_INDENT}{style.bold(candidate.scheme)}"]
        for effect in candidate.queries:
            touched = f"{quantity(effect.partitions_touched)} of {effect.partitions}"
            rate = "" if effect.calls_per_second is None else f"{quantity(effect.calls_per_second)}/s"
            factor = f"{effect.time_ratio:.2f}x" if effect.time_known or effect.added_ms == 0 else "?"
            first = (
                f"{_INDENT}{_INDENT}{touched.rjust(12)}  {effect.when.ljust(5)}  {factor.rjust(6)}  {rate.rjust(8)}  "
            )
            lines += wrapped(f"{effect.name}: {effect.why}", width, first=first)
        if not candidate.queries:
            lines.append(f"{_INDENT}{_INDENT}no query of the table is known")
    return lines


def _next_command(table: TableAdvice, chosen: Candidate, style: Style, source: str) -> list[str]:
    name, key = shlex.quote(table.table), shlex.quote(chosen.scheme)
    command = f"partadvisor plan {source} --table {name} --key {key} -o migration"
    return [f"{_INDENT}{style.dim('next'.ljust(_LABEL))}{style.bold(command)}"]


def _notes(label: str, notes: Sequence[str], width: int, style: Style) -> list[str]:
    lines: list[str] = []
    for number, note in enumerate(notes):
        lines += _field(label if number == 0 else "", note, width, style)
    return lines
