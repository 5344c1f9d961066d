"""REINDEX of a partitioned table runs one transaction a partition, so it refuses to be in one."""

from __future__ import annotations

from collections.abc import Iterator

from partadvisor.lint.context import Context, Hit
from partadvisor.model.ddl import Maintain
from partadvisor.model.ddl_parts import Name

WANTS = (Maintain,)


def check(context: Context) -> Iterator[Hit]:
    """Flag each partitioned relation of a REINDEX in a transaction."""
    if not context.in_transaction and context.origin == "script":
        return
    for action in context.actions(Maintain):
        if action.command == "reindex" and not action.concurrently:
            for name in action.names:
                if _partitioned(context, action.kind, name):
                    yield Hit(at=action.span, values={"what": f"{action.kind} {context.sql(name)}"})


def _partitioned(context: Context, kind: str, name: Name) -> bool:
    if kind == "table":
        return context.table(name).partitioned
    index = context.scope.index(name) if kind == "index" else None
    return index is not None and context.table(index.table).partitioned
