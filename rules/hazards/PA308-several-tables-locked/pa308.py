"""ACCESS EXCLUSIVE on more than one table in a transaction."""

from __future__ import annotations

from collections.abc import Iterator

from partadvisor.lint.context import Context, Hit
from partadvisor.lint.session import Lock
from partadvisor.model.ddl import AttachPartition, DetachPartition, Drop, LockTable, Rename, SetSchema, Truncate


def check(context: Context) -> Iterator[Hit]:
    """Flag the second table of a transaction, once. Partitions and their parent have rules of their own."""
    mine = _named(context)
    if not mine or _moves(context):
        return
    held = [k for k in context.held_at_least("ACCESS EXCLUSIVE") if k.certain]
    first = {k.relation for k in held}
    if len(first) != 1:
        return  # nothing held, or flagged before
    if any(_related(context, k.relation, m.relation) for k in held for m in mine):
        return  # the same table again
    if any(_moves(c) for c in context.same_transaction()):
        return
    name = mine[0].relation
    yield Hit(
        at=context.facts.span,
        about=tuple(context.table(n) for n in (name, *first)),
        locks=tuple(mine),
        values={
            "first": context.sql(next(iter(first))),
            "second": context.sql(name),
            "statement": context.facts.text,
        },
    )


def _named(context: Context) -> list[Lock]:
    return [k for k in context.locks_at_least("ACCESS EXCLUSIVE") if k.role == "target" and k.certain]


def _moves(context: Context) -> bool:
    """Steps of a swap or of partition work, and removals, which have other rules."""
    steps = (Rename, SetSchema, AttachPartition, DetachPartition, Drop, Truncate, LockTable)
    return any(isinstance(a, steps) for a in context.facts.actions)


def _related(context: Context, one: str, other: str) -> bool:
    a, b = context.table(one), context.table(other)
    return (
        one == other
        or one in (b.parent, *b.partitions)
        or other == a.parent
        or (a.parent is not None and a.parent == b.parent)
    )
