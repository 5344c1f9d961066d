"""Since 17 a table with an identity column cannot become a partition."""

from __future__ import annotations

from collections.abc import Iterator

from partadvisor.lint.context import Context, Hit
from partadvisor.model.ddl import AttachPartition
from partadvisor.pg.readable import readable_ident

WANTS = (AttachPartition,)


def check(context: Context) -> Iterator[Hit]:
    """Flag each ATTACH of a table with identity."""
    for attach in context.actions(AttachPartition):
        column = next((c for c in context.table(attach.partition).columns.values() if c.identity), None)
        if column is None:
            continue
        yield Hit(
            at=attach.span,
            values={
                "partition": context.sql(attach.partition),
                "parent": context.sql(attach.table),
                "column": readable_ident(column.name),
                "statement": context.facts.text,
            },
        )
