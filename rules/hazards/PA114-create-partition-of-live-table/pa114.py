"""CREATE TABLE … PARTITION OF takes ACCESS EXCLUSIVE on the parent; LIKE and ATTACH do not."""

from __future__ import annotations

from collections.abc import Iterator

from partadvisor.lint.context import Context, Hit
from partadvisor.model.ddl import CreateTable

WANTS = (CreateTable,)


def check(context: Context) -> Iterator[Hit]:
    """Flag each partition created in place of a table that is in use."""
    for create in context.actions(CreateTable):
        if create.partition_of is None or create.bound is None:
            continue
        parent = context.table(create.partition_of)
        yield Hit(
            at=create.span,
            about=(parent,),
            confidence="high" if parent.known else None,
            values={
                "partition": context.sql(create.table),
                "parent": context.sql(create.partition_of),
                "bound": create.bound.text,
                "subkey": " PARTITION BY …" if create.partition_by else "",
            },
        )
