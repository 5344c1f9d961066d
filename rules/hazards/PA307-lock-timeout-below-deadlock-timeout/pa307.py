"""A lock_timeout that autovacuum outlasts."""

from __future__ import annotations

from collections.abc import Iterator

from partadvisor.lint.context import Context, Hit
from partadvisor.model.ddl import SetVariable

WANTS = (SetVariable,)
_DEADLOCK_TIMEOUT_MS = 1000


def check(context: Context) -> Iterator[Hit]:
    """Flag it when a lock that autovacuum holds off is waited for under it."""
    for action in context.actions(SetVariable):
        if action.name != "lock_timeout" or context.origin != "script":
            continue
        position = context.position
        under = (
            c
            for c in context.later()
            if "lock_timeout" in c.session.settings and c.session.settings["lock_timeout"].statement == position
        )
        first = next((c for c in under if c.locks_at_least("SHARE UPDATE EXCLUSIVE")), None)
        timeout = first.timeout_ms() if first else None
        if timeout and timeout < _DEADLOCK_TIMEOUT_MS:
            yield Hit(at=action.span, values={"value": action.value or ""})
