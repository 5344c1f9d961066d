"""Ranges that leave a gap between neighbours."""

from __future__ import annotations

from collections.abc import Iterator

from partadvisor.lint.context import Context, Hit, ScriptContext
from partadvisor.lint.overlap import gap_before, is_slip
from partadvisor.lint.tables import Table
from partadvisor.model.ddl import AttachPartition, CreateTable
from partadvisor.model.ddl_parts import Name, Span


def check_script(script: ScriptContext) -> Iterator[Hit]:
    """Flag each new partition beside a gap that the end of the script leaves open, once a gap."""
    told = set()
    gaps: dict[str, list[tuple[Table, Table]]] = {}
    for context in script.statements:
        for parent_name, name, span in _added(context):
            parent = script.final.tables.get(context.scope.resolve(parent_name))
            if parent is None or not parent.known or parent.default_partition is not None:
                continue
            if parent.name not in gaps:
                gaps[parent.name] = list(_gaps(parent, script.final.partitions_of(parent.name)))
            added = context.scope.resolve(name, "new")
            for before, after in gaps[parent.name]:
                if added in (before.name, after.name) and (before.name, after.name) not in told:
                    told.add((before.name, after.name))
                    yield _hit(context, span, parent, before, after)


def _added(context: Context) -> Iterator[tuple[Name, Name, Span]]:
    yield from ((a.table, a.partition, a.span) for a in context.actions(AttachPartition))
    yield from ((c.partition_of, c.table, c.span) for c in context.actions(CreateTable) if c.partition_of is not None)


def _gaps(parent: Table, partitions: tuple[Table, ...]) -> Iterator[tuple[Table, Table]]:
    """Pairs of neighbours with a gap between."""
    ends = {p.bound.upper[:1] for p in partitions if p.bound}
    for after in partitions:
        if after.bound is None or after.bound.lower[:1] in ends:
            continue
        before = gap_before(after, parent, partitions)
        if before is not None:
            yield before, after


def _hit(context: Context, at: Span, parent: Table, before: Table, after: Table) -> Hit:
    low, high = before.bound.upper[0] if before.bound else "", after.bound.lower[0] if after.bound else ""
    return Hit(
        at=at,
        severity=None if is_slip(low, high) else "info",
        values={
            "table": context.sql(parent.name),
            "before": context.sql(before.name),
            "after": context.sql(after.name),
            "low": low,
            "high": high,
        },
    )
