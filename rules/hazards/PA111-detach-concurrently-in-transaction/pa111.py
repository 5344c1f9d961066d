"""DETACH PARTITION CONCURRENTLY commits half-way, so it cannot be in a transaction block."""

from __future__ import annotations

from collections.abc import Iterator

from partadvisor.lint.context import Context, Hit
from partadvisor.model.ddl import DetachPartition

WANTS = (DetachPartition,)


def check(context: Context) -> Iterator[Hit]:
    """Flag each one in a transaction block."""
    if not context.in_transaction and context.origin == "script":
        return
    for detach in context.actions(DetachPartition):
        if detach.concurrently:
            yield Hit(at=detach.span, values={"partition": context.sql(detach.partition)})
