"""A lock that grows from ROW EXCLUSIVE to something that conflicts with it."""

from __future__ import annotations

from collections.abc import Iterator

from partadvisor.lint.context import Context, Hit, at_least
from partadvisor.model.ddl import Delete, Insert, Merge, Update


def check(context: Context) -> Iterator[Hit]:
    """Flag the first strong lock on a table that was written to."""
    if context.session.transaction is None:
        return
    held = {k.relation for k in context.held_at_least("SHARE")}
    for lock in context.locks_at_least("SHARE"):
        if lock.relation in held or not lock.certain or not _written(context, lock.relation):
            continue
        yield Hit(
            at=context.facts.actions[0].span,
            about=(context.table(lock.relation),),
            locks=(lock,),
            values={
                "table": context.sql(lock.relation),
                "mode": lock.mode if at_least(lock.mode, "SHARE") else "",
                "statement": context.facts.text,
            },
        )
        return


def _written(context: Context, relation: str) -> bool:
    """Rows that others may be waiting for: those changed; an INSERT only meets its own keys again."""
    for other in context.same_transaction(Insert, Update, Delete, Merge):
        for action in other.facts.actions:
            if isinstance(action, Insert) and action.on_conflict != "update":
                continue
            if isinstance(action, Insert | Update | Delete | Merge) and other.table(action.table).name == relation:
                return True
    return False
