"""A DEFAULT partition makes later partitions costly or impossible to add."""

from __future__ import annotations

from collections.abc import Iterator

from partadvisor.lint.context import Context, Hit
from partadvisor.model.ddl import AttachPartition, CreateTable

WANTS = (AttachPartition, CreateTable)


def check(context: Context) -> Iterator[Hit]:
    """Tell about each new DEFAULT partition of a table in use."""
    for attach in context.actions(AttachPartition):
        if attach.bound.strategy == "default":
            about = (context.table(attach.table),)
            yield Hit(at=attach.span, about=about, values={"partition": context.sql(attach.partition)})
    for create in context.actions(CreateTable):
        if create.partition_of is not None and create.bound is not None and create.bound.strategy == "default":
            about = (context.table(create.partition_of),)
            yield Hit(at=create.span, about=about, values={"partition": context.sql(create.table)})
