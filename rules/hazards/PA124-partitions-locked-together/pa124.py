"""Several partitions worked through in one transaction stay locked together."""

from __future__ import annotations

from collections.abc import Iterator

from partadvisor.lint.context import Context, Hit
from partadvisor.lint.session import Lock


def check(context: Context) -> Iterator[Hit]:
    """Flag the second partition of each table; more of them in the same transaction say nothing new."""
    held = (
        [k for k in context.held_at_least("SHARE") if context.table(k.relation).parent]
        if context.in_transaction
        else []
    )
    for lock in context.locks_at_least("SHARE") if held else ():
        parent = context.table(lock.relation).parent
        siblings = {k.relation: k for k in held if context.table(k.relation).parent == parent}
        if lock.work in ("", "wait") or parent is None or lock.relation in siblings or len(siblings) != 1:
            continue
        if any(k.relation == parent for k in (*context.held_at_least("SHARE"), *context.locks_at_least("SHARE"))):
            continue
        yield _hit(context, next(iter(siblings.values())), lock)


def _hit(context: Context, first: Lock, second: Lock) -> Hit:
    return Hit(
        at=context.facts.span,
        about=(context.table(first.relation),),
        scanned=context.table(second.relation),
        locks=(first, second),
        values={
            "first": context.sql(first.relation),
            "second": context.sql(second.relation),
            "stopped": "reads and writes" if first.mode == "ACCESS EXCLUSIVE" else "writes",
        },
    )
