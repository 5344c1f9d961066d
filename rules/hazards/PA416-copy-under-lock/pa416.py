"""Copying a table while nobody may use it."""

from __future__ import annotations

from collections.abc import Iterator

from partadvisor.lint.context import Context, Hit
from partadvisor.model.ddl import CreateTable, Insert
from partadvisor.model.ddl_parts import Span

WANTS = (Insert, CreateTable)


def check(context: Context) -> Iterator[Hit]:
    """Flag each copy of a table that the transaction keeps to itself."""
    held = {k.relation: k for k in context.held_at_least("SHARE")} if context.in_transaction else {}
    for span, read in _copies(context) if held else ():
        lock = held.get(read)
        if lock is None:
            continue
        table = context.table(read)
        yield Hit(
            at=span,
            about=(table,),
            scanned=table,
            locks=(lock,),
            confidence="high" if table.known else None,
            values={
                "table": context.sql(read),
                "mode": lock.mode,
                "stopped": "reads and writes" if lock.mode == "ACCESS EXCLUSIVE" else "writes",
            },
        )


def _copies(context: Context) -> Iterator[tuple[Span, str]]:
    """Places that copy, and the tables they read in full."""
    for insert in context.actions(Insert):
        if insert.rows is None and insert.where is None and not insert.limited:
            yield from ((insert.span, context.scope.resolve(n)) for n in insert.sources)
    for create in context.actions(CreateTable):
        if create.from_query:
            yield from ((create.span, context.scope.resolve(n)) for n in context.facts.reads)
