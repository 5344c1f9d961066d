"""Row security that nobody passes."""

from __future__ import annotations

from collections.abc import Iterator

from partadvisor.lint.context import Context, Hit
from partadvisor.model.ddl import AlterTableOther, CreateOther

WANTS = (AlterTableOther,)


def check(context: Context) -> Iterator[Hit]:
    """Flag it when no policy is there, or comes too late."""
    for action in context.actions(AlterTableOther):
        table = context.table(action.table)
        if action.what != "enable row security" or table.policies:
            continue
        later = _created(context, table.name)
        if later is not None and _together(context, later):
            continue
        yield Hit(
            at=action.span,
            about=(table,),
            severity="warning" if later else None,
            confidence="high" if table.known or later else None,
            values={
                "table": context.sql(action.table),
                "what": "until the policies are created" if later else "row security is enabled without a policy",
                "how": "Create the policies before, or in the same transaction."
                if later
                else "Create a policy for each role that works with the table, in the same transaction.",
            },
        )


def _created(context: Context, table: str) -> Context | None:
    """The later statement that makes the first policy of the table."""
    for other in context.later(CreateOther):
        for create in other.actions(CreateOther):
            if create.kind == "policy" and any(other.table(t).name == table for t in create.tables):
                return other
    return None


def _together(context: Context, other: Context) -> bool:
    mine, theirs = context.session.transaction, other.session.transaction
    return mine is not None and theirs is not None and mine.number == theirs.number
