"""A concurrent build under a statement_timeout."""

from __future__ import annotations

from collections.abc import Iterator

from partadvisor.lint.context import Context, Hit
from partadvisor.model.ddl import CreateIndex, Maintain

WANTS = (CreateIndex, Maintain)
_SHORT_MS = 600_000


def check(context: Context) -> Iterator[Hit]:
    """Flag each that may well take longer."""
    timeout = context.timeout_ms("statement_timeout")
    if not timeout or timeout >= _SHORT_MS or context.in_transaction:
        return
    for action in context.facts.actions:
        if not isinstance(action, CreateIndex | Maintain) or not action.concurrently:
            continue
        if isinstance(action, Maintain) and action.command != "reindex":
            continue
        about = context.table(action.table) if isinstance(action, CreateIndex) else None
        yield Hit(
            at=action.span,
            about=(about,) if about else (),
            values={
                "what": "CREATE INDEX" if isinstance(action, CreateIndex) else "REINDEX",
                "value": context.session.settings["statement_timeout"].value,
                "statement": context.facts.text,
            },
        )
