"""NOT VALID foreign keys of partitioned tables are an error until 17."""

from __future__ import annotations

from collections.abc import Iterator

from partadvisor.lint.context import Context, Hit
from partadvisor.lint.partition_keys import recipe_by_partition
from partadvisor.model.ddl import AddConstraint

WANTS = (AddConstraint,)


def check(context: Context) -> Iterator[Hit]:
    """Flag each one."""
    for action in context.actions(AddConstraint):
        key, table = action.constraint, context.table(action.table)
        if key.kind == "foreign_key" and key.not_valid and table.partitioned:
            yield Hit(
                at=action.span,
                confidence=None if context.versions.stated else "medium",
                values={"table": context.sql(action.table), "recipe": recipe_by_partition(context, action)},
            )
