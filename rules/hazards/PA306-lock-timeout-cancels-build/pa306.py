"""A concurrent command under a short lock_timeout."""

from __future__ import annotations

from collections.abc import Iterator

from partadvisor.lint.context import Context, Hit
from partadvisor.model.ddl import CreateIndex, Drop, Maintain

WANTS = (CreateIndex, Drop, Maintain)
_SHORT_MS = 60_000


def check(context: Context) -> Iterator[Hit]:
    """Flag each."""
    timeout = context.timeout_ms("lock_timeout")
    if not timeout or timeout >= _SHORT_MS or context.in_transaction:
        return
    for action in context.facts.actions:
        if not isinstance(action, CreateIndex | Drop | Maintain) or not action.concurrently:
            continue
        if isinstance(action, Maintain) and action.command != "reindex":
            continue
        about = context.table(action.table) if isinstance(action, CreateIndex) else None
        words = {CreateIndex: "CREATE INDEX", Drop: "DROP INDEX"}.get(type(action), "REINDEX")
        yield Hit(
            at=action.span,
            about=(about,) if about else (),
            values={
                "what": words,
                "value": context.session.settings["lock_timeout"].value,
                "left": "the index INVALID" if words == "DROP INDEX" else "an INVALID index",
                "statement": context.facts.text,
            },
        )
