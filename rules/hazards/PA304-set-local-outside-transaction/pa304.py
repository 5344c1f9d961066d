"""SET LOCAL without a transaction."""

from __future__ import annotations

from collections.abc import Iterator

from partadvisor.lint.context import Context, Hit
from partadvisor.model.ddl import SetVariable

WANTS = (SetVariable,)


def check(context: Context) -> Iterator[Hit]:
    """Flag each."""
    for action in context.actions(SetVariable):
        if action.local and not context.in_transaction:
            yield Hit(at=action.span, values={"name": action.name})
