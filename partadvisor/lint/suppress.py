"""Findings that the user does not want to see, said in comments: ``-- partadvisor: ignore PA101 because …``.

A comment counts for the statement it stands before, in, or behind on its last line; ``ignore-file`` for the whole file.
One that hides nothing is a finding itself, so that comments do not outlive what they were for.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from partadvisor.lint.registry import Rule
from partadvisor.lint.simulate import Simulated
from partadvisor.model.ddl_parts import Span
from partadvisor.model.finding import Finding
from partadvisor.sql.lex import tokens
from partadvisor.sql.split import Lines, Statement

_MARK = re.compile(
    r"partadvisor:\s*(?P<what>ignore-file|ignore)(?P<ids>(?:[\s,]+(?!because\b)[\w-]+)*)(?:\s*(?:because\b|--)\s*(?P<why>.*\S))?",
    re.IGNORECASE | re.DOTALL,
)
UNUSED, UNREASONED = "PA001", "PA002"


@dataclass(frozen=True, slots=True)
class Mark:
    """An ignore comment. ``statement`` is the one it belongs to, None for the whole file or for nothing."""

    span: Span
    ids: tuple[str, ...]
    whole_file: bool
    reason: str
    statement: Span | None


@dataclass(frozen=True, slots=True)
class Suppressed:
    """What is left, and how many were hidden."""

    findings: tuple[Finding, ...]
    count: int


def suppress(
    file: str, text: str, run: Simulated, findings: list[Finding], chosen: Mapping[str, Rule], lines: Lines, pages: str
) -> Suppressed:
    """Hide what comments say, and report comments without use or reason, if these rules are chosen."""
    marks = ignore_marks(text, run.statements)
    used: set[tuple[int, str]] = set()
    kept = []
    for finding in findings:
        hiding = [(m, i) for m in marks for i in m.ids if _hides(m, i, finding, lines)]
        used |= {(m.span.start, i) for m, i in hiding}
        if not hiding:
            kept.append(finding)
    count = len(findings) - len(kept)
    for mark in marks:
        unused = [i for i in mark.ids if (mark.span.start, i) not in used and _judged(i, chosen)]
        if UNUSED in chosen and (unused or not mark.ids):
            kept.append(_finding(chosen[UNUSED], file, mark, lines, pages, {"ids": ", ".join(unused) or "nothing"}))
        if UNREASONED in chosen and not mark.reason:
            kept.append(_finding(chosen[UNREASONED], file, mark, lines, pages, {"ids": ", ".join(mark.ids)}))
    return Suppressed(tuple(kept), count)


def _judged(identifier: str, chosen: Mapping[str, Rule]) -> bool:
    """Whether the rule ran, or no such rule exists: only then the comment is known to be useless."""
    from partadvisor.lint.registry import rules

    exists = any(_names(identifier, r.id, r.slug) for r in rules().values())
    return not exists or any(_names(identifier, r.id, r.slug) for r in chosen.values())


def _names(identifier: str, rule: str, slug: str) -> bool:
    return identifier.upper() == rule or identifier.lower() == slug


def _hides(mark: Mark, identifier: str, finding: Finding, lines: Lines) -> bool:
    if not _names(identifier, finding.rule, finding.slug):
        return False
    if mark.whole_file:
        return True
    if mark.statement is None:
        return False
    first, last = lines.place(mark.statement.start)[0], lines.place(mark.statement.end)[0]
    return first <= finding.line <= last


def ignore_marks(text: str, statements: tuple[Statement, ...]) -> list[Mark]:
    """All ignore comments of a script."""
    if "partadvisor:" not in text:
        return []
    marks = []
    for kind, start, end, _ in tokens(text):
        found = _MARK.search(text, start, end) if kind == "comment" else None
        if found is None:
            continue
        why = (found["why"] or "").removesuffix("*/").strip()
        ids = tuple(i for i in re.split(r"[\s,]+", found["ids"]) if i)
        whole = found["what"].lower() == "ignore-file"
        owner = None if whole else _owner(text, start, statements)
        marks.append(Mark(Span(start=start, end=len(text[:end].rstrip())), ids, whole, why, owner))
    return marks


def _owner(text: str, at: int, statements: tuple[Statement, ...]) -> Span | None:
    """The statement a comment is in, ends the line of, or stands before."""
    before = None
    for statement in statements:
        end = statement.start_offset + len(statement.text)
        if statement.start_offset <= at < end:
            return Span(start=statement.start_offset, end=end)
        if end <= at:
            before = Span(start=statement.start_offset, end=end)
            continue
        if before is not None and "\n" not in text[before.end : at]:
            return before
        return Span(start=statement.start_offset, end=end)
    return before if before is not None and "\n" not in text[before.end : at] else None


def _finding(rule: Rule, file: str, mark: Mark, lines: Lines, pages: str, values: dict[str, str]) -> Finding:
    record = rule.record
    line, column = lines.place(mark.span.start)
    end_line, end_column = lines.place(mark.span.end)
    return Finding(
        rule=rule.id,
        slug=rule.slug,
        severity=record.severity,
        confidence=record.confidence,
        file=file,
        line=line,
        column=column,
        end_line=end_line,
        end_column=end_column,
        message=record.message.format(**values),
        hint=record.hint,
        fingerprint=f"{rule.id}-{values['ids']}".lower(),
        url=rule.url(pages),
    )
