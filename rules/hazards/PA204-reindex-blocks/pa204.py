"""REINDEX without CONCURRENTLY."""

from __future__ import annotations

from collections.abc import Iterator

from partadvisor.lint.context import Context, Hit
from partadvisor.model.ddl import Maintain

WANTS = (Maintain,)


def check(context: Context) -> Iterator[Hit]:
    """Flag each; the system catalogs can be reindexed no other way."""
    for action in context.actions(Maintain):
        if action.command != "reindex" or action.concurrently or action.kind == "system":
            continue
        tables = []
        for name in action.names:
            index = context.scope.index(name) if action.kind == "index" else None
            tables += [context.table(index.table)] if index else [context.table(name)] if action.kind == "table" else []
        if context.in_transaction and any(t.partitioned for t in tables):
            continue  # the server refuses it
        yield Hit(
            at=action.span,
            about=tuple(tables),
            scanned=tables[0] if tables else None,
            values={
                "what": ", ".join(context.sql(n) for n in action.names) or f"the {action.kind}",
                "kind": action.kind.upper(),
            },
        )
