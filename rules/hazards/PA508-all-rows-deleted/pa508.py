"""DELETE without WHERE, and TRUNCATE."""

from __future__ import annotations

from collections.abc import Iterator

from partadvisor.lint.context import Context, Hit
from partadvisor.lint.tables import Table
from partadvisor.model.ddl import CreateTable, Delete, DetachPartition, Insert, Truncate
from partadvisor.model.ddl_parts import Name, Span

WANTS = (Delete, Truncate)


def check(context: Context) -> Iterator[Hit]:
    """Flag each table whose rows this script has not copied or put there; CASCADE has a rule of its own."""
    for action in context.actions(Delete):
        if action.where is None:
            yield from _hit(context, action.span, "DELETE without WHERE", action.table)
    for truncate in context.actions(Truncate):
        for name in () if truncate.cascade else truncate.tables:
            yield from _hit(context, truncate.span, "TRUNCATE", name)


def _hit(context: Context, at: Span, statement: str, name: Name) -> Iterator[Hit]:
    table = context.table(name)
    if table.bytes != 0 and not _looked_after(context, table):
        yield Hit(at=at, about=(table,), values={"statement": statement, "table": context.sql(name)})


def _looked_after(context: Context, table: Table) -> bool:
    """Whether the script wrote or read the rows before: a reload, a copy, a detached partition."""
    if any(True for _ in context.actions(Insert)):
        return True
    for other in context.earlier(Insert, DetachPartition, CreateTable):
        if any(other.table(i.table).name == table.name for i in other.actions(Insert)):
            return True
        if any(other.table(d.partition).name == table.name for d in other.actions(DetachPartition)):
            return True
        copies = any(True for _ in other.actions(Insert, CreateTable))
        if copies and any(other.table(r).name == table.name for r in other.facts.reads):
            return True
    return False
