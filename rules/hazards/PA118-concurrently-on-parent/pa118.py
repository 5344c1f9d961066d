"""CREATE and DROP INDEX CONCURRENTLY refuse partitioned tables."""

from __future__ import annotations

from collections.abc import Iterator

from partadvisor.lint.context import Context, Hit
from partadvisor.lint.partition_index import recipe
from partadvisor.model.ddl import CreateIndex, Drop

WANTS = (CreateIndex, Drop)


def check(context: Context) -> Iterator[Hit]:
    """Flag both."""
    for create in context.actions(CreateIndex):
        if create.concurrently and context.table(create.table).partitioned:
            way = "Create it ON ONLY the table, build it CONCURRENTLY on each partition, and attach these."
            values = {"statement": "CREATE INDEX", "table": context.sql(create.table), "way": way}
            yield Hit(at=create.span, values={**values, "recipe": recipe(context, create)})
    for drop in context.actions(Drop):
        for name in drop.names if drop.kind == "index" and drop.concurrently else ():
            index = context.scope.index(name)
            if index is None or not context.table(index.table).partitioned:
                continue
            way = "Drop it without CONCURRENTLY, with a short lock_timeout, and try again when it expires."
            values = {"statement": "DROP INDEX", "table": context.sql(index.table), "way": way}
            yield Hit(at=name.span, values={**values, "recipe": f"DROP INDEX {context.sql(name)};"})
