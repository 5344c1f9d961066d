"""DETACH PARTITION CONCURRENTLY and a DEFAULT partition exclude each other."""

from __future__ import annotations

from collections.abc import Iterator

from partadvisor.lint.context import Context, Hit
from partadvisor.model.ddl import DetachPartition

WANTS = (DetachPartition,)


def check(context: Context) -> Iterator[Hit]:
    """Flag each one of a table known to have a DEFAULT partition."""
    for detach in context.actions(DetachPartition):
        default = context.table(detach.table).default_partition
        if detach.concurrently and default is not None:
            yield Hit(
                at=detach.span,
                values={
                    "partition": context.sql(detach.partition),
                    "parent": context.sql(detach.table),
                    "default": context.sql(default),
                },
            )
