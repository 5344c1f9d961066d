"""Requests to the tables themselves, from the statements of the workload and from those that touch no row (DDL)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from partadvisor.advise.subject import Request
from partadvisor.model.snapshot import Snapshot
from partadvisor.model.workload import QueryFamily, Workload
from partadvisor.sql.names import SchemaNames
from partadvisor.sql.parse import fingerprint
from partadvisor.sql.unusual import may_be_unusual, unusual

Requests = Mapping[str, tuple[Request, ...]]


def requests_by_table(snapshot: Snapshot, workload: Workload) -> Requests:
    """For each table what statements ask of it, the most frequent first."""
    statements = [f for f in workload.families if may_be_unusual(f.text)]
    statements += _others(snapshot, {f.fingerprint for f in workload.families})
    if not statements:
        return {}
    schema = SchemaNames.from_relations(snapshot.relations)
    found: dict[str, list[Request]] = {}
    for family in sorted(statements, key=lambda f: -f.calls):
        for kind, table in unusual(family.text, schema):
            found.setdefault(table, []).append(Request(family, kind))
    return {table: tuple(requests) for table, requests in found.items()}


def _others(snapshot: Snapshot, known: set[str]) -> Iterator[QueryFamily]:
    """Statements that are no family because they touch no row, one of each shape."""
    calls: dict[str, float] = {}
    first: dict[str, QueryFamily] = {}
    for source in snapshot.statements:
        for entry in source.entries:
            if not may_be_unusual(entry.text):
                continue
            shape = fingerprint(entry.text)
            if shape not in known:
                calls[shape] = calls.get(shape, 0.0) + entry.calls
                rate = calls[shape] / source.seconds if source.seconds else None
                first[shape] = QueryFamily(
                    fingerprint=shape, text=entry.text, calls=calls[shape], calls_per_second=rate, name=entry.name
                )
    yield from first.values()
