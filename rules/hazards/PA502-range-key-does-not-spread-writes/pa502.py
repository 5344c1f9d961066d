"""A range key that only grows."""

from __future__ import annotations

from collections.abc import Iterator

from partadvisor.lint.context import Context, Hit
from partadvisor.model.ddl import CreateTable
from partadvisor.model.ddl_parts import Column
from partadvisor.pg.readable import readable_ident

WANTS = (CreateTable,)
_NOW = ("now()", "current_timestamp", "clock_timestamp()", "current_date", "localtimestamp", "statement_timestamp()")


def check(context: Context) -> Iterator[Hit]:
    """Tell it of a key whose own default grows, unless its partitions are partitioned again."""
    for create in context.actions(CreateTable):
        key = create.partition_by
        if key is None or key.strategy != "range" or not key.columns or create.partition_of is not None:
            continue
        column = next((c for c in create.columns if c.name == key.columns[0]), None)
        if column is None or not _grows(column) or _split_again(context, create.table.name):
            continue
        shown = {"key": readable_ident(column.name), "table": context.sql(create.table)}
        yield Hit(at=create.span, values=shown)


def _grows(column: Column) -> bool:
    return bool(column.identity) or column.serial or (column.default or "").lower() in _NOW


def _split_again(context: Context, table: str) -> bool:
    return any(
        made.partition_of is not None and made.partition_of.name == table and made.partition_by is not None
        for later in context.later(CreateTable)
        for made in later.actions(CreateTable)
    )
