"""CREATE INDEX on a partitioned table builds all its partitions' indexes under SHARE."""

from __future__ import annotations

from collections.abc import Iterator

from partadvisor.lint.context import Context, Hit
from partadvisor.lint.partition_index import lacking, recipe
from partadvisor.lint.tables import Table
from partadvisor.model.ddl import CreateIndex
from partadvisor.pg.readable import readable_ident

WANTS = (CreateIndex,)


def check(context: Context) -> Iterator[Hit]:
    """Flag each one that has partitions to build for."""
    for create in context.actions(CreateIndex):
        table = context.table(create.table)
        if create.concurrently or create.only or not table.partitioned or _refused(create, table):
            continue
        partitions = lacking(context.scope, create)
        if not partitions:
            continue
        yield Hit(
            at=create.span,
            about=(table, *partitions),
            scanned=max(partitions, key=lambda t: t.bytes or 0),
            values={
                "index": "an index" if create.index is None else f"index {readable_ident(create.index)}",
                "table": context.sql(create.table),
                "count": str(len(table.partitions)),
                "recipe": recipe(context, create),
            },
        )


def _refused(create: CreateIndex, table: Table) -> bool:
    """A unique index without the partition key: the server builds nothing."""
    key = table.partition_by.columns if table.partition_by else ()
    return create.unique and any(c not in create.columns for c in key)
