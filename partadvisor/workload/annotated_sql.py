"""SQL files with weights in comments: ``-- name:``, ``-- calls: 1200 per second``, ``-- mean_ms:``, ``-- rows:``."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass

from partadvisor.model.activity import StatementDelta
from partadvisor.model.errors import UsageError
from partadvisor.model.snapshot import Statements
from partadvisor.sql.split import Comment, Script, Statement, split

_NOTE = re.compile(r"--\s*(name|calls|mean_ms|rows)\s*:\s*(.*?)\s*", re.IGNORECASE | re.DOTALL)
_CALLS = re.compile(r"([0-9][0-9_]*(?:\.[0-9]+)?)(?:\s*(?:per\s+|/\s*)([a-z]+))?", re.IGNORECASE)
_NUMBER = re.compile(r"[0-9][0-9_]*(?:\.[0-9]+)?")
_SECONDS = {"s": 1, "sec": 1, "second": 1, "m": 60, "min": 60, "minute": 60, "h": 3600, "hour": 3600, "day": 86400}


@dataclass(slots=True)
class _Weight:
    name: str | None = None
    count: float | None = None
    per_second: float | None = None
    mean_ms: float = 0.0
    rows: float = 0.0


def read_sql(name: str, text: str) -> Statements:
    """Every statement of the file. Rates make the totals cover one second; a statement without one counts once.

    Raises:
        UsageError: a weight is not a number, or some calls are rates and others counts.
    """
    script = split(text)
    weighted = [(s, _weight(name, s)) for s in script.statements]
    rates = any(w.per_second is not None for _, w in weighted)
    counted = next((s for s, w in weighted if w.count is not None), None)
    if rates and counted is not None:
        raise UsageError(
            f"unreadable workload {name}:{counted.line}:{counted.column}",
            detail="This statement has a number of calls, others have calls per second: they cannot be compared.",
            hint='Give all of them a rate, such as "-- calls: 1200 per second".',
        )
    entries = tuple(_entry(name, s, w) for s, w in weighted)
    return Statements(source="file", seconds=1.0 if rates else None, entries=entries, notes=_skipped(name, script))


def _skipped(name: str, script: Script) -> tuple[str, ...]:
    """What of the file is no statement."""
    kinds = Counter(s.kind for s in script.skipped)
    said = [f"{number} psql command{'s' * (number > 1)}" for number in (kinds["psql command"],) if number]
    said += [f"the data of {number} COPY" for number in (kinds["COPY data"],) if number]
    return (f"{name}: {' and '.join(said)} passed over, being no statements",) if said else ()


def _entry(name: str, statement: Statement, weight: _Weight) -> StatementDelta:
    calls = next((c for c in (weight.per_second, weight.count) if c is not None), 1.0)
    return StatementDelta(
        query_id=f"{name}:{statement.line}",
        text=statement.text,
        calls=calls,
        total_ms=weight.mean_ms * calls,
        rows=weight.rows * calls,
        name=weight.name,
    )


def _weight(name: str, statement: Statement) -> _Weight:
    weight = _Weight()
    for comment in statement.comments:
        note = _NOTE.fullmatch(comment.text)
        if note is None:
            continue
        key, value = note.group(1).lower(), note.group(2)
        if key == "name":
            weight.name = value or None
        elif key == "calls":
            _calls(name, comment, value, weight)
        else:
            setattr(weight, key, _number(name, comment, key, value))
    return weight


def _calls(name: str, comment: Comment, value: str, weight: _Weight) -> None:
    match = _CALLS.fullmatch(value)
    unit = match.group(2) if match else None
    seconds = _SECONDS.get(unit.lower().removesuffix("s") or "s") if unit else None
    if match is None or (unit and seconds is None):
        raise _unreadable(name, comment, value, 'a number, or a rate such as "1200 per second"')
    number = float(match.group(1).replace("_", ""))
    if seconds is None:
        weight.count = number
    else:
        weight.per_second = number / seconds


def _number(name: str, comment: Comment, key: str, value: str) -> float:
    if not _NUMBER.fullmatch(value):
        raise _unreadable(name, comment, value, f'a number after "{key}:"')
    return float(value.replace("_", ""))


def _unreadable(name: str, comment: Comment, value: str, expected: str) -> UsageError:
    column = comment.column + (comment.text.rfind(value) if value else len(comment.text))
    return UsageError(
        f"unreadable workload {name}:{comment.line}:{column}",
        detail=f'Expected {expected}, found "{value}".',
        hint="Weights are comment lines above a statement: -- calls: 1200 per second, -- mean_ms: 0.4, -- rows: 10",
    )
