"""A row trigger with a transition table cannot be on a partition."""

from __future__ import annotations

from collections.abc import Iterator

from partadvisor.lint.context import Context, Hit
from partadvisor.model.ddl import AttachPartition
from partadvisor.pg.readable import readable_ident

WANTS = (AttachPartition,)


def check(context: Context) -> Iterator[Hit]:
    """Flag each ATTACH of a table with such a trigger."""
    for attach in context.actions(AttachPartition):
        for trigger in context.table(attach.partition).row_transition_triggers:
            yield Hit(
                at=attach.span,
                values={"partition": context.sql(attach.partition), "trigger": readable_ident(trigger)},
            )
