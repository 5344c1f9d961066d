"""ADD … EXCLUDE."""

from __future__ import annotations

from collections.abc import Iterator

from partadvisor.lint.context import Context, Hit
from partadvisor.model.ddl import AddConstraint

WANTS = (AddConstraint,)


def check(context: Context) -> Iterator[Hit]:
    """Flag each on a table with rows."""
    for action in context.actions(AddConstraint):
        table = context.table(action.table)
        if action.constraint.kind == "exclusion" and not table.empty:
            yield Hit(at=action.span, about=(table,), scanned=table, values={"table": context.sql(action.table)})
