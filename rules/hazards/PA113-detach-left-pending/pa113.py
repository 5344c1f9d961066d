"""A timeout cancels DETACH CONCURRENTLY after its first half was committed."""

from __future__ import annotations

from collections.abc import Iterator

from partadvisor.lint.context import Context, Hit
from partadvisor.model.ddl import DetachPartition

WANTS = (DetachPartition,)


def check(context: Context) -> Iterator[Hit]:
    """Flag each one that a timeout of the script can cancel, unless the script finishes what is left."""
    for detach in context.actions(DetachPartition):
        if not detach.concurrently or context.in_transaction or _finalized(context, detach):
            continue
        setting = next((s for s in ("lock_timeout", "statement_timeout") if context.timeout_ms(s)), None)
        if setting is None:
            continue
        yield Hit(
            at=detach.span,
            about=(context.table(detach.table),),
            values={
                "setting": setting,
                "partition": context.sql(detach.partition),
                "parent": context.sql(detach.table),
            },
        )


def _finalized(context: Context, detach: DetachPartition) -> bool:
    partition = context.scope.resolve(detach.partition)
    later = (d for other in context.later(DetachPartition) for d in other.actions(DetachPartition))
    return any(d.finalize and context.scope.resolve(d.partition) == partition for d in later)
