"""Locking a partition and then its parent is the opposite of what tuple routing does."""

from __future__ import annotations

from collections.abc import Iterator

from partadvisor.lint.context import Context, Hit, at_least
from partadvisor.lint.session import Lock


def check(context: Context) -> Iterator[Hit]:
    """Flag the statement that closes the circle, once for each parent."""
    if not context.session.live:
        return
    for lock in context.locks_at_least("SHARE"):
        below = set(context.scope.tables.pointing("parent", lock.relation))
        if not below or not lock.certain or _first(context, lock):
            continue
        held = context.held_at_least("SHARE")
        partition = next((k for k in held if k.certain and k.relation in below), None)
        if partition is not None:
            yield Hit(
                at=context.facts.span,
                about=(context.table(lock.relation),),
                locks=(partition, lock),
                values={
                    "parent": context.sql(lock.relation),
                    "partition": context.sql(partition.relation),
                    "mode": lock.mode,
                },
            )


def _first(context: Context, lock: Lock) -> bool:
    """Whether the transaction holds a lock on the parent that keeps the others out already."""
    return any(k.relation == lock.relation and at_least(k.mode, "SHARE") for k in context.session.held)
