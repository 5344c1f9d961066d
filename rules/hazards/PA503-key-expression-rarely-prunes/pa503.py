"""A partition key that is an expression."""

from __future__ import annotations

from collections.abc import Iterator

from partadvisor.lint.context import Context, Hit
from partadvisor.model.ddl import CreateTable

WANTS = (CreateTable,)


def check(context: Context) -> Iterator[Hit]:
    """Flag each key without any plain column."""
    for create in context.actions(CreateTable):
        key = create.partition_by
        if key is not None and key.expressions and all(c is None for c in key.columns):
            values = {"table": context.sql(create.table), "expression": ", ".join(key.expressions)}
            yield Hit(at=create.span, values=values)
