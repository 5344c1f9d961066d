"""A session-level advisory lock that stays."""

from __future__ import annotations

from collections.abc import Iterator

from partadvisor.lint.context import Context, Hit

_TAKES = ("pg_advisory_lock", "pg_advisory_lock_shared", "pg_try_advisory_lock", "pg_try_advisory_lock_shared")
_GIVES = ("pg_advisory_unlock", "pg_advisory_unlock_shared", "pg_advisory_unlock_all")
_SHARING = ("flyway", "goose", "dbmate", "golang-migrate")


def check(context: Context) -> Iterator[Hit]:
    """Flag it unless it is unlocked later; psql's session ends with its script."""
    taken = next((f for f in context.facts.functions if f in _TAKES), None)
    if taken is None or context.script.tool not in _SHARING:
        return
    if not any(f in _GIVES for later in context.later() for f in later.facts.functions):
        yield Hit(at=context.facts.span, values={"function": taken, "tool": context.script.tool})
