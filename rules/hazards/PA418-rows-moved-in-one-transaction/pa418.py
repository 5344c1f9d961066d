"""Moving all rows in one statement keeps all of them locked."""

from __future__ import annotations

from collections.abc import Iterator

from partadvisor.lint.context import Context, Hit
from partadvisor.model.ddl import Delete, Insert

WANTS = (Delete,)


def check(context: Context) -> Iterator[Hit]:
    """Flag each DELETE that feeds an INSERT and has no LIMIT anywhere."""
    inserts = list(context.actions(Insert))
    if not inserts or "limit" in context.facts.text.lower().split():
        return
    for delete in context.actions(Delete):
        table = context.table(delete.table)
        yield Hit(
            at=delete.span,
            about=(table,),
            scanned=table,
            confidence="low" if delete.where else None,
            severity="info" if delete.where and table.bytes is None else None,
            values={"table": context.sql(delete.table), "target": context.sql(inserts[0].table)},
        )
