"""CREATE INDEX CONCURRENTLY IF NOT EXISTS without dropping what a failed try left."""

from __future__ import annotations

from collections.abc import Iterator

from partadvisor.lint.context import Context, Hit
from partadvisor.model.ddl import CreateIndex, Drop

WANTS = (CreateIndex,)


def check(context: Context) -> Iterator[Hit]:
    """Flag it unless the index was dropped before; an INVALID one in the catalog makes it certain."""
    for create in context.actions(CreateIndex):
        if not (create.concurrently and create.if_not_exists and create.index) or _dropped(context, create.index):
            continue
        left = context.table(create.table).indexes.get(create.index)
        text = context.script.text[create.span.start : create.span.end]
        invalid = left is not None and not left.valid
        if left is not None and left.valid:
            continue
        yield Hit(
            at=create.span,
            about=(context.table(create.table),),
            severity="error" if invalid else None,
            confidence="high" if invalid else None,
            message="{index} is there but INVALID, so this builds nothing" if invalid else None,
            values={"index": create.index, "statement": text.replace("IF NOT EXISTS ", "")},
        )


def _dropped(context: Context, index: str) -> bool:
    return any(
        drop.kind == "index" and any(n.name == index for n in drop.names)
        for other in context.earlier(Drop)
        for drop in other.actions(Drop)
    )
