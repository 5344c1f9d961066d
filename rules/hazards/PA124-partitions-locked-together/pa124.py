"""Partitions locked one after the other in one transaction stay locked together."""

from __future__ import annotations

from collections.abc import Iterator

from partadvisor.lint.context import Context, Hit
from partadvisor.lint.session import Lock


def check(context: Context) -> Iterator[Hit]:
    """Flag the second partition of each table; more of them in the same transaction say nothing new."""
    mine = context.locks_at_least("SHARE") if context.session.live else ()
    if not any(context.table(k.relation).parent for k in mine):
        return
    strong = (*context.held_at_least("SHARE"), *mine)
    held = {k.relation: k for k in context.held_at_least("SHARE") if k.certain} if strong else {}
    for lock in mine if held else ():
        parent = context.table(lock.relation).parent
        if parent is None or not lock.certain or lock.relation in held or any(k.relation == parent for k in strong):
            continue
        siblings = [k for name, k in held.items() if context.table(name).parent == parent]
        if len(siblings) == 1:
            yield _hit(context, siblings[0], lock)
            return


def _hit(context: Context, first: Lock, second: Lock) -> Hit:
    return Hit(
        at=context.facts.span,
        about=(context.table(first.relation),),
        locks=(first, second),
        values={
            "first": context.sql(first.relation),
            "second": context.sql(second.relation),
            "stopped": "reads and writes" if first.mode == "ACCESS EXCLUSIVE" else "writes",
        },
    )
