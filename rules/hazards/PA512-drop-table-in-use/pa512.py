"""DROP TABLE of a table in use."""

from __future__ import annotations

from collections.abc import Iterator

from partadvisor.lint.context import Context, Hit
from partadvisor.lint.tables import Table
from partadvisor.model.ddl import AttachPartition, DetachPartition, Drop, Insert, Rename

WANTS = (Drop,)


def check(context: Context) -> Iterator[Hit]:
    """Flag plain tables; partitions, sources of a copy and CASCADE have rules of their own."""
    for drop in context.actions(Drop):
        if drop.kind != "table" or drop.cascade:
            continue
        for name in drop.names:
            table = context.table(name)
            if table.parent is None and table.bytes != 0 and not _moved(context, table):
                yield Hit(at=name.span, about=(table,), values={"table": context.sql(name)})


def _moved(context: Context, table: Table) -> bool:
    for other in context.earlier(DetachPartition, AttachPartition, Rename, Insert):
        for action in other.facts.actions:
            if (
                isinstance(action, DetachPartition | AttachPartition)
                and other.table(action.partition).name == table.name
            ):
                return True
            if isinstance(action, Rename) and action.new == table.name.rpartition(".")[2]:
                return True
            if isinstance(action, Insert) and any(other.table(r).name == table.name for r in other.facts.reads):
                return True
    return False
