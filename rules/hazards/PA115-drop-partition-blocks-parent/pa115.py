"""DROP TABLE of a partition takes ACCESS EXCLUSIVE on its parent."""

from __future__ import annotations

from collections.abc import Iterator

from partadvisor.lint.context import Context, Hit
from partadvisor.model.ddl import Drop

WANTS = (Drop,)


def check(context: Context) -> Iterator[Hit]:
    """Flag each partition dropped in place, unless its parent goes with it or a foreign key stops it."""
    for drop in context.actions(Drop):
        dropped = {context.scope.resolve(name) for name in drop.names} if drop.kind == "table" else set()
        for name in drop.names if dropped else ():
            parent = context.table(name).parent
            if parent is None or parent in dropped or context.table(parent).referenced_by:
                continue
            concurrent = context.table(parent).default_partition is None and context.versions.any(since=14)
            yield Hit(
                at=name.span,
                about=(context.table(parent),),
                values={"partition": context.sql(name), "parent": context.sql(parent)},
                severity=None if concurrent else "info",
                hint=None if concurrent else "Keep lock_timeout short and try again.",
                recipe=None if concurrent else "",
            )
