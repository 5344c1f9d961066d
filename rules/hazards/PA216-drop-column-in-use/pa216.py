"""DROP COLUMN of a table in use."""

from __future__ import annotations

from collections.abc import Iterator

from partadvisor.lint.context import Context, Hit
from partadvisor.model.ddl import AddColumn, DropColumn
from partadvisor.pg.readable import readable_ident

WANTS = (DropColumn,)


def check(context: Context) -> Iterator[Hit]:
    """Flag each that this file has not added itself."""
    for action in context.actions(DropColumn):
        table = context.table(action.table)
        added = any(
            add.column.name == action.column and other.table(add.table).name == table.name
            for other in context.earlier(AddColumn)
            for add in other.actions(AddColumn)
        )
        if not added:
            yield Hit(
                at=action.span,
                about=(table,),
                values={"column": readable_ident(action.column), "table": context.sql(action.table)},
            )
