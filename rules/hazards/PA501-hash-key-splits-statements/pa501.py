"""A hash key that no two rows of a statement share."""

from __future__ import annotations

from collections.abc import Iterator

from partadvisor.lint.context import Context, Hit
from partadvisor.model.ddl import CreateTable, Insert
from partadvisor.model.ddl_parts import Column
from partadvisor.pg.readable import readable_ident

WANTS = (CreateTable,)


def check(context: Context) -> Iterator[Hit]:
    """Flag a key of one column that makes its own values."""
    for create in context.actions(CreateTable):
        key = create.partition_by
        if key is None or key.strategy != "hash" or len(key.columns) != 1:
            continue
        column = next((c for c in create.columns if c.name == key.columns[0]), None)
        if column is None or not _own_value(column):
            continue
        count = len(context.script.final.table(context.scope.resolve(create.table, "new")).partitions)
        yield Hit(
            at=create.span,
            confidence="medium" if _writes_many(context, create.table.name) else None,
            values={
                "key": readable_ident(column.name),
                "table": context.sql(create.table),
                "many": f"{count} " if count > 1 else "",
            },
        )


def _own_value(column: Column) -> bool:
    return bool(column.identity) or column.serial or column.default_volatility == "volatile"


def _writes_many(context: Context, table: str) -> bool:
    inserts = (i for later in context.later(Insert) for i in later.actions(Insert) if i.table.name == table)
    return any(i.rows is None or i.rows > 1 for i in inserts)
