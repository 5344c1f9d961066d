"""ADD COLUMN … NOT NULL with nothing to fill it."""

from __future__ import annotations

from collections.abc import Iterator

from partadvisor.lint.context import Context, Hit
from partadvisor.lint.type_change import type_text
from partadvisor.model.ddl import AddColumn
from partadvisor.pg.readable import readable_ident

WANTS = (AddColumn,)


def check(context: Context) -> Iterator[Hit]:
    """Flag each on a table that may have rows."""
    for action in context.actions(AddColumn):
        column, table = action.column, context.table(action.table)
        filled = (column.default or "NULL").upper() != "NULL" or column.identity or column.generated or column.serial
        if column.not_null and not filled and not table.empty:
            yield Hit(
                at=column.span,
                about=(table,),
                values={
                    "column": readable_ident(column.name),
                    "table": context.sql(action.table),
                    "type": type_text(column.type, column.type_modifiers),
                },
            )
