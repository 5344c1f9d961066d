"""DROP INDEX without CONCURRENTLY."""

from __future__ import annotations

from collections.abc import Iterator

from partadvisor.lint.context import Context, Hit
from partadvisor.model.ddl import Drop

WANTS = (Drop,)


def check(context: Context) -> Iterator[Hit]:
    """Flag indexes whose drop could be concurrent."""
    for drop in context.actions(Drop):
        if drop.kind != "index" or drop.concurrently or drop.cascade:
            continue
        for name in drop.names:
            index = context.scope.index(name)
            table = context.table(index.table) if index else None
            if table is not None and (table.partitioned or table.kind == "materialized view"):
                continue
            yield Hit(
                at=name.span,
                about=(table,) if table else (),
                confidence="high" if table and table.known else None,
                values={"index": context.sql(name)},
            )
