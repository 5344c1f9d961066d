"""DROP TABLE of a partition of a foreign key's target fails, or with CASCADE takes the key along."""

from __future__ import annotations

from collections.abc import Iterator

from partadvisor.lint.context import Context, Hit
from partadvisor.model.ddl import Drop

WANTS = (Drop,)


def check(context: Context) -> Iterator[Hit]:
    """Flag each partition dropped from a referenced table that stays."""
    for drop in context.actions(Drop):
        dropped = {context.scope.resolve(name) for name in drop.names} if drop.kind == "table" else set()
        for name in drop.names if dropped else ():
            parent = context.table(name).parent
            referencing = set(context.table(parent).referenced_by) - dropped if parent else set()
            if parent is None or parent in dropped or not referencing:
                continue
            yield Hit(
                at=name.span,
                values={
                    "partition": context.sql(name),
                    "parent": context.sql(parent),
                    "referencing": ", ".join(sorted(map(context.sql, referencing))),
                    "outcome": "drops a foreign key" if drop.cascade else "fails",
                },
            )
