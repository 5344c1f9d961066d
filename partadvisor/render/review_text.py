"""A review for people: each finding with its statement, who is blocked for how long, and what to do instead."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping

from partadvisor.model.finding import Finding, NotAnalysed, Review
from partadvisor.render.style import Style, wrapped
from partadvisor.render.trace_text import trace_lines

_MOST_LINES = 4
_LABEL = 10


def review_text(review: Review, texts: Mapping[str, str], *, width: int, colour: bool) -> str:
    """The review; ``texts`` are the scripts by file, for the lines to show."""
    style = Style(colour)
    lines: list[str] = []
    for finding in review.findings:
        lines += [*_finding(finding, texts.get(finding.file, ""), width, style), ""]
    if review.not_analysed:
        lines += [*_not_analysed(review.not_analysed, width, style), ""]
    if review.trace is not None:
        lines += [*trace_lines(review.trace, width=width, style=style), ""]
    lines += [style.dim(line) for a in review.assumptions for line in wrapped(a, width)]
    lines.append(summary(review, style))
    return "\n".join(lines) + "\n"


def _finding(finding: Finding, text: str, width: int, style: Style) -> list[str]:
    paint = {"error": style.red, "warning": style.yellow, "info": style.cyan}[finding.severity]
    place = style.bold(f"{finding.file}:{finding.line}:{finding.column}:")
    sure = "" if finding.confidence == "high" else style.dim(f"  ({finding.confidence} confidence)")
    down = style.dim(f"  on the way {finding.section}") if finding.section == "down" else ""
    lines = [f"{place} {paint(finding.severity)} {finding.rule} {finding.slug}{sure}{down}"]
    lines += wrapped(finding.message, width, first="  ")
    lines += ["", *_excerpt(finding, text, width, style, paint), ""]
    for label, what in _facts(finding):
        lines += wrapped(what, width, first=f"  {label:<{_LABEL}}", rest=" " * (_LABEL + 2))
    if finding.recipe:
        lines.append(f"  {'instead':<{_LABEL}}{style.dim('-- paste and adapt')}")
        lines += [f"  {' ' * _LABEL}{style.green(line)}" for line in finding.recipe.splitlines()]
    return lines


def _facts(finding: Finding) -> list[tuple[str, str]]:
    facts = []
    if finding.blocked:
        facts.append(("blocked", f"{finding.blocked}{', ' if finding.duration else ''}{finding.duration}"))
    elif finding.duration:
        facts.append(("lasts", finding.duration))
    if finding.relations:
        facts.append(("locks", ", ".join(f"{r.name} {r.lock_mode}" for r in finding.relations)))
    if finding.hint:
        facts.append(("do", finding.hint))
    if finding.fix is not None:
        facts.append(("fix", f"{finding.fix.title} (--fix{'' if finding.fix.safe else ' --unsafe-fixes'})"))
    return facts


def _excerpt(finding: Finding, text: str, width: int, style: Style, paint: Callable[[str], str]) -> list[str]:
    """The lines of the place, marked below the first; a long place is cut."""
    source = text.splitlines()
    last = min(finding.end_line, finding.line + _MOST_LINES - 1, len(source))
    margin = len(str(last))
    lines = []
    for number in range(finding.line, last + 1):
        line = source[number - 1].replace("\t", " ")
        start = finding.column - 1 if number == finding.line else 0
        end = finding.end_column - 1 if number == finding.end_line else len(line.rstrip())
        shown, start, end = _cut(line, start, max(end, start + 1), width - margin - 6)
        lines.append(f"  {style.dim(f'{number:>{margin}} |')} {shown}")
        if number == finding.line:
            mark = "^" * max(1, end - start)
            lines.append(f"  {style.dim(' ' * margin + ' |')} {' ' * start}{paint(mark)}")
    if last < finding.end_line:
        more = finding.end_line - last
        words = "one more line" if more == 1 else f"{more} more lines"
        lines.append(style.dim(f"  {chr(0x22EE):>{margin}} | {words}"))
    return lines


def _cut(line: str, start: int, end: int, room: int) -> tuple[str, int, int]:
    """The part of a line that holds the place; ``start`` and ``end`` within it."""
    room = max(room, 20)
    if len(line) <= room:
        return line, start, min(end, max(len(line), start + 1))
    left = 0 if start < room - 10 else start - 5
    shown = ("…" if left else "") + line[left + (1 if left else 0) : left + room - 1] + "…"
    return shown, start - left, min(end - left, room - 1)


def _not_analysed(pieces: tuple[NotAnalysed, ...], width: int, style: Style) -> list[str]:
    lines = [
        style.bold("Not analysed"),
        *wrapped("Nothing is known of these; look at them yourself.", width, first="  "),
    ]
    for piece in pieces:
        lines += wrapped(piece.reason, width, first=f"  {piece.file}:{piece.line}:{piece.column}: ", rest="      ")
    return lines


def summary(review: Review, style: Style) -> str:
    """One line of counts."""
    counts = Counter(f.severity for f in review.findings)
    parts = [_count(counts[s], s) for s in ("error", "warning") if counts[s]]
    parts += [_count(counts["info"], "note")] if counts["info"] else []
    what = ", ".join(parts) or style.green("nothing found")
    extra = [f"{_count(len(review.not_analysed), 'piece')} not analysed"] if review.not_analysed else []
    extra += [f"{review.suppressed} ignored"] if review.suppressed else []
    looked = f"{_count(len(review.files), 'file')}, {_count(len(review.statements), 'statement')}"
    return f"{looked}: {'; '.join([what, *extra])} ({_versions(review.target_versions)})"


def _versions(majors: tuple[int, ...]) -> str:
    return f"PostgreSQL {majors[0]}" if len(majors) == 1 else f"PostgreSQL {majors[0]} to {majors[-1]}"


def _count(number: int, word: str) -> str:
    return f"{number} {word}{'' if number == 1 else 's'}"
