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
        first = next((c for c in under if _waits(c)), None)
        timeout = first.timeout_ms() if first else None
        if timeout and timeout < _DEADLOCK_TIMEOUT_MS:
            yield Hit(at=action.span, values={"value": action.value or ""})


def _waits(context: Context) -> bool:
    """Whether it may find autovacuum in its way: not where an equally safe lock is held already."""
    held = {k.relation for k in context.held_at_least("SHARE UPDATE EXCLUSIVE")}
    return any(k.certain and k.relation not in held for k in context.locks_at_least("SHARE UPDATE EXCLUSIVE"))
