"""ADD FOREIGN KEY on a partitioned table checks every row of every partition under one lock."""

from __future__ import annotations

from collections.abc import Iterator

from partadvisor.lint.context import Context, Hit
from partadvisor.lint.partition_keys import has_key, recipe_by_partition, recipe_not_valid
from partadvisor.model.ddl import AddConstraint

WANTS = (AddConstraint,)


def check(context: Context) -> Iterator[Hit]:
    """Flag each one that leaves rows to be checked."""
    for action in context.actions(AddConstraint):
        key, table = action.constraint, context.table(action.table)
        if key.kind != "foreign_key" or key.references is None or key.not_valid or not table.partitioned:
            continue
        referenced = context.scope.resolve(key.references)
        partitions = [p for p in context.scope.partitions_of(action.table) if not has_key(p, key.columns, referenced)]
        partitions = [p for p in partitions if not p.empty]
        if not partitions:
            continue
        new = context.versions.all(since=18)
        yield Hit(
            at=action.span,
            about=(table, *partitions),
            scanned=max(partitions, key=lambda t: t.bytes or 0),
            values={
                "table": context.sql(action.table),
                "count": str(len(partitions)),
                "referenced": context.sql(key.references),
                "way": "Add it NOT VALID, then VALIDATE CONSTRAINT."
                if new
                else "Add it NOT VALID to each partition and validate it there; the table then takes these over.",
                "recipe": recipe_not_valid(context, action) if new else recipe_by_partition(context, action),
            },
        )
