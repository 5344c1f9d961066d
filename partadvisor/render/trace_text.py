"""What a scratch server did with the scripts, for people: each statement's locks, files, privileges, and surprises."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from partadvisor.model.trace import Difference, Trace, TracedStatement
from partadvisor.pg.locks import blocked_statements
from partadvisor.render.style import Style, wrapped

_LABEL = 10
_MOST_TEXT = 70
_SAME = "Review and server agree on every lock."


def trace_lines(trace: Trace, *, width: int, style: Style) -> list[str]:
    """The section "Traced" of a review."""
    lines = [style.bold(f"Traced on a scratch server, PostgreSQL {trace.server_version}")]
    for note in trace.notes:
        lines += wrapped(note, width, first="  lacking   ", rest=" " * (_LABEL + 2))
    for statement in trace.statements:
        if _is_telling(statement):
            lines += _statement(statement, width, style)
    differ = sum(len(s.differences) for s in trace.statements)
    lines.append(f"  {_SAME}" if not differ else f"  {style.yellow(_count(differ))} between review and server.")
    return lines


def _is_telling(statement: TracedStatement) -> bool:
    return statement.outcome != "ran" or any(
        (statement.locks, statement.rewritten, statement.created, statement.lost_privileges, statement.differences)
    )


def _statement(statement: TracedStatement, width: int, style: Style) -> list[str]:
    text = " ".join(statement.text.split())
    shown = text if len(text) <= _MOST_TEXT else text[: _MOST_TEXT - 1] + "…"
    lines = [f"  {style.bold(f'{statement.file}:{statement.line}:')} {shown}"]
    for label, what in _facts(statement):
        paint = style.red if label in ("failed", "loses") else style.yellow if label == "differs" else str
        wide = wrapped(what, width, first=f"    {label:<{_LABEL}}", rest=" " * (_LABEL + 4))
        lines += [paint(line) for line in wide]
    return lines


def _facts(statement: TracedStatement) -> Iterator[tuple[str, str]]:
    if statement.outcome != "ran":
        yield statement.outcome, statement.error
    modes = {name: [k.mode for k in found] for name, found in groupby(statement.locks, key=lambda k: k.relation)}
    blocked = {name: blocked_statements(held) for name, held in modes.items()}
    for label, names in (
        ("locks", [f"{name} {' and '.join(held)}" for name, held in modes.items()]),
        ("blocks", [f"{what} of {name}" for name, what in blocked.items() if what != "nothing"]),
        ("new file", statement.rewritten),
        ("reads all", statement.scanned),
        ("creates", statement.created),
        ("loses", [f"{p.privilege} on {p.relation} for {p.role}" for p in statement.lost_privileges]),
    ):
        if names:
            yield label, ", ".join(names)
    for difference in statement.differences:
        yield "differs", _difference(difference)


def _difference(difference: Difference) -> str:
    return f"{difference.relation}: review says {_modes(difference.said)}, the server took {_modes(difference.took)}"


def _modes(modes: Sequence[str]) -> str:
    return " and ".join(modes) or "nothing"


def _count(number: int) -> str:
    return f"{number} difference{'' if number == 1 else 's'}"
