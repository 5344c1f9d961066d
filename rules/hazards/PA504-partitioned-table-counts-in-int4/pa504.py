"""A partitioned table whose own numbers end too early."""

from __future__ import annotations

from collections.abc import Iterator

from partadvisor.lint.context import Context, Hit
from partadvisor.model.ddl import CreateTable
from partadvisor.pg.readable import readable_ident

WANTS = (CreateTable,)


def check(context: Context) -> Iterator[Hit]:
    """Flag numbered columns of short types."""
    for create in context.actions(CreateTable):
        if create.partition_by is None:
            continue
        for column in create.columns:
            if (column.serial or column.identity) and column.type in ("integer", "smallint"):
                yield Hit(
                    at=column.span,
                    values={
                        "column": readable_ident(column.name),
                        "table": context.sql(create.table),
                        "type": column.type,
                    },
                )
