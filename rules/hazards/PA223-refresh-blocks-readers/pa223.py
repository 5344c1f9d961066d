"""REFRESH MATERIALIZED VIEW without CONCURRENTLY."""

from __future__ import annotations

from collections.abc import Iterator

from partadvisor.lint.context import Context, Hit
from partadvisor.model.ddl import Maintain

WANTS = (Maintain,)


def check(context: Context) -> Iterator[Hit]:
    """Flag each of a view in use."""
    for action in context.actions(Maintain):
        if action.command != "refresh materialized view" or action.concurrently:
            continue
        for name in action.names:
            yield Hit(at=action.span, about=(context.table(name),), values={"view": context.sql(name)})
