"""Statements grouped into families of one shape, with their weight and what was understood of them.

Grouping by fingerprint comes before parsing: a server's statistics hold many texts of few shapes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import msgspec

from partadvisor.model.activity import StatementDelta
from partadvisor.model.snapshot import Statements
from partadvisor.model.workload import AccessPattern, QueryFamily, Workload
from partadvisor.sql.access import access_pattern
from partadvisor.sql.names import SchemaNames
from partadvisor.sql.parse import Unparsed, fingerprint, outline
from partadvisor.workload.coverage import NOT_A_TABLE_ACCESS, Read, coverage

_PRECEDENCE = ("pg_stat_statements", "file", "log")
"""Which source tells how often a shape runs when several know it: they saw the same calls."""
_MOST_VARIANTS = 100
"""Texts of one shape that are looked at for different numbers of inserted rows."""


class _Entry(NamedTuple):
    """A statement with the time its totals cover, in seconds."""

    delta: StatementDelta
    source: str
    seconds: float | None


def build_workload(statements: Sequence[Statements], schema: SchemaNames) -> Workload:
    """Families by falling total time, and the share of calls and time that was understood.

    Statements that touch no table (BEGIN, SET, DDL, SELECT 1) are left out of the families and of the shares, and
    counted.
    """
    read = [r for group in _groups(statements) for r in _families(group, schema)]
    kept = [r for r in read if r.reason != NOT_A_TABLE_ACCESS]
    kept.sort(key=lambda r: (-r.family.mean_ms * r.family.calls, -r.family.calls, r.family.fingerprint))
    notes = dict.fromkeys(note for source in statements for note in source.notes)
    return Workload(families=tuple(r.family for r in kept), coverage=coverage(read, notes))


def _groups(statements: Sequence[Statements]) -> Iterable[tuple[str, list[_Entry]]]:
    groups: dict[str, list[_Entry]] = {}
    known: dict[str, str] = {}
    for source in statements:
        for delta in source.entries:
            outlined = outline(delta.text)
            key = known.get(outlined) or known.setdefault(outlined, fingerprint(delta.text))
            groups.setdefault(key, []).append(_Entry(delta, source.source, source.seconds))
    return groups.items()


def _families(group: tuple[str, list[_Entry]], schema: SchemaNames) -> list[Read]:
    """One family of the shape, or one for each name the user gave."""
    key, entries = group
    first = min((e.source for e in entries), key=_PRECEDENCE.index)
    counted = [e for e in entries if e.source == first]
    names = dict.fromkeys(e.delta.name for e in entries if e.delta.name is not None)
    by_name: dict[str | None, list[_Entry]] = {}
    for entry in counted:
        by_name.setdefault(entry.delta.name or next(iter(names), None), []).append(entry)
    return [_family(key, name, named, schema) for name, named in by_name.items()]


def _family(key: str, name: str | None, entries: list[_Entry], schema: SchemaNames) -> Read:
    calls = sum(e.delta.calls for e in entries)
    timed = [(e.delta.calls, e.seconds) for e in entries if e.seconds]
    weights: Counter[str] = Counter()
    for entry in entries:
        weights[entry.delta.text] += entry.delta.calls  # type: ignore[assignment]
    rows = sum(e.delta.rows for e in entries) / calls if calls else 0.0
    text, found = _understood([t for t, _ in weights.most_common(_MOST_VARIANTS)], weights, schema)
    found = _repeated(text, found, rows, schema)
    reason = _reason(found)
    family = QueryFamily(
        fingerprint=key,
        text=text,
        calls=calls,
        calls_per_second=sum(c / s for c, s in timed) if timed else None,
        mean_ms=sum(e.delta.total_ms for e in entries) / calls if calls else 0.0,
        rows_per_call=rows,
        name=name,
        pattern=found if isinstance(found, AccessPattern) and reason is None else None,
        not_analysed=reason if isinstance(found, AccessPattern) else _placed(found, text, entries),
    )
    return Read(family, reason)


def _understood(texts: list[str], weights: Counter[str], schema: SchemaNames) -> tuple[str, AccessPattern | Unparsed]:
    """The heaviest text and its pattern. Shapes that differ in the length of VALUES insert the mean number of rows."""
    heaviest = access_pattern(texts[0], schema)
    if len(texts) == 1 or isinstance(heaviest, Unparsed) or _rows(heaviest) is None:
        return texts[0], heaviest
    variants = [(t, p) for t in texts if not isinstance(p := access_pattern(t, schema), Unparsed)]
    total = sum(weights[t] for t, _ in variants) or 1
    mean = sum(weights[t] * (_rows(p) or 0.0) for t, p in variants) / total
    several = next(((t, p) for t, p in variants if (_rows(p) or 0) > 1), (texts[0], heaviest))
    return several[0], _with_rows(several[1], mean)


def _repeated(text: str, found: AccessPattern | Unparsed, rows: float, schema: SchemaNames) -> AccessPattern | Unparsed:
    """A text with one VALUES row of which several are said to be inserted: the row stands for all of them."""
    if isinstance(found, Unparsed) or found.kind != "insert" or _rows(found) != 1 or rows <= 1:
        return found
    again = access_pattern(text, schema, repeated=True)
    return again if isinstance(again, Unparsed) else _with_rows(again, rows)


def _rows(pattern: AccessPattern) -> float | None:
    inserts = [t.rows for t in pattern.tables if t.role == "insert"]
    return inserts[0] if len(inserts) == 1 else None


def _with_rows(pattern: AccessPattern, rows: float) -> AccessPattern:
    tables = tuple(msgspec.structs.replace(t, rows=rows) if t.role == "insert" else t for t in pattern.tables)
    return msgspec.structs.replace(pattern, tables=tables)


def _reason(found: AccessPattern | Unparsed) -> str | None:
    if isinstance(found, Unparsed):
        return found.reason
    return None if found.tables else NOT_A_TABLE_ACCESS


def _placed(found: Unparsed, text: str, entries: list[_Entry]) -> str:
    """The reason with the place in the user's file, where there is one."""
    entry = next(e for e in entries if e.delta.text == text)
    if entry.source != "file" or ":" not in entry.delta.query_id:
        return found.reason
    file, line = entry.delta.query_id.rsplit(":", 1)
    if not line.isdecimal():
        return found.reason
    return f"{found.reason} ({file}:{int(line) + (found.line or 1) - 1})"
