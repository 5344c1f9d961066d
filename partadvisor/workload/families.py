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
from partadvisor.sql.constancy import Executions
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
    logged = _logged(entries)
    return [_family(key, name, named, logged, schema) for name, named in by_name.items()]


def _logged(entries: list[_Entry]) -> dict[str, Executions]:
    """Parameter values by the text they belong to, whatever the source that counts."""
    found: dict[str, Executions] = {}
    for entry in entries:
        if entry.delta.parameters:
            found[entry.delta.text] = (*found.get(entry.delta.text, ()), *entry.delta.parameters)
    return found


def _family(
    key: str, name: str | None, entries: list[_Entry], logged: dict[str, Executions], schema: SchemaNames
) -> Read:
    calls = sum(e.delta.calls for e in entries)
    timed = [(e.delta.calls, e.seconds) for e in entries if e.seconds]
    weights: Counter[str] = Counter()
    for entry in entries:
        weights[entry.delta.text] += entry.delta.calls  # type: ignore[assignment]
    rows = sum(e.delta.rows for e in entries) / calls if calls else 0.0
    text, found = _understood([t for t, _ in weights.most_common(_MOST_VARIANTS)], weights, logged, schema)
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
        parameters=logged.get(text, ()),
    )
    return Read(family, reason)


def _understood(
    texts: list[str], weights: Counter[str], logged: dict[str, Executions], schema: SchemaNames
) -> tuple[str, AccessPattern | Unparsed]:
    """The heaviest text and its pattern. Shapes that differ in the length of VALUES insert the mean number of rows."""
    heaviest = access_pattern(texts[0], schema, executions=logged.get(texts[0], ()))
    if len(texts) == 1 or isinstance(heaviest, Unparsed) or _rows(heaviest) is None:
        return texts[0], heaviest
    read = [(t, access_pattern(t, schema, executions=logged.get(t, ()))) for t in texts[1:]]
    variants = [(texts[0], heaviest), *((t, p) for t, p in read if isinstance(p, AccessPattern))]
    total = sum(weights[t] for t, _ in variants) or 1
    mean = sum(weights[t] * (_rows(p) or 0.0) for t, p in variants) / total
    several = [(t, p) for t, p in variants if (_rows(p) or 0) > 1]
    if not several:
        return texts[0], heaviest
    return several[0][0], _inserting(several[0][1], [p for _, p in several], mean)


def _inserting(pattern: AccessPattern, variants: list[AccessPattern], rows: float) -> AccessPattern:
    """The pattern with what all variants agree on, and their mean number of rows."""
    inserts = [next(t for t in p.tables if t.role == "insert") for p in variants]
    constant = set(inserts[0].constant_columns).intersection(*(i.constant_columns for i in inserts))
    varying = set(inserts[0].varying_columns).intersection(*(i.varying_columns for i in inserts))
    agreed = msgspec.structs.replace(
        inserts[0],
        rows=rows,
        constant_columns=tuple(c for c in inserts[0].constant_columns if c in constant),
        varying_columns=tuple(c for c in inserts[0].varying_columns if c in varying),
    )
    tables = tuple(agreed if t.role == "insert" else t for t in pattern.tables)
    return msgspec.structs.replace(pattern, tables=tables)


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
