"""A backfill in one statement."""

from __future__ import annotations

from collections.abc import Iterator

from partadvisor.lint.amounts import all_rows
from partadvisor.lint.context import Context, Hit
from partadvisor.model.ddl import Update
from partadvisor.pg.readable import readable_ident

WANTS = (Update,)


def check(context: Context) -> Iterator[Hit]:
    """Flag each; a loop that commits has a condition on its batch."""
    for action in context.actions(Update):
        table = context.table(action.table)
        if not all_rows(action.where):
            continue
        key = table.primary_key.columns[0] if table.primary_key else "id"
        column = table.columns.get(key)
        yield Hit(
            at=action.span,
            about=(table,),
            scanned=table,
            values={
                "table": context.sql(action.table),
                "that": f" where {action.where}" if action.where else "",
                "key": readable_ident(key),
                "key_type": column.type if column and column.type else "bigint",
                "update": context.facts.text,
                "and": "AND" if action.where else "WHERE",
            },
        )
