"""Applying repairs to a text: edits by position, so that everything else stays as the user wrote it."""

from __future__ import annotations

from collections.abc import Iterable

from partadvisor.model.finding import Edit, Finding, Fix


def fixed_text(text: str, findings: Iterable[Finding], *, unsafe: bool = False) -> tuple[str, int]:
    """The text with the repairs of its findings, and how many were made. One that overlaps an earlier one waits."""
    taken: list[Edit] = []
    count = 0
    for finding in findings:
        fix = finding.fix
        if fix is None or not (fix.safe or unsafe) or _overlaps(fix, taken):
            continue
        taken += fix.edits
        count += 1
    for edit in sorted(taken, key=lambda e: (e.span.start, e.span.end), reverse=True):
        text = text[: edit.span.start] + edit.text + text[edit.span.end :]
    return text, count


def _overlaps(fix: Fix, taken: list[Edit]) -> bool:
    return any(_meet(new, old) for new in fix.edits for old in taken)


def _meet(one: Edit, other: Edit) -> bool:
    if one == other:
        return True
    return one.span.start < other.span.end and other.span.start < one.span.end
