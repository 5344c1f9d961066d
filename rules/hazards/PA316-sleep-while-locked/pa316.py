"""A pause in a transaction that holds locks."""

from __future__ import annotations

from collections.abc import Iterator

from partadvisor.lint.context import Context, Hit, at_least

_SLEEPS = ("pg_sleep", "pg_sleep_for", "pg_sleep_until")


def check(context: Context) -> Iterator[Hit]:
    """Flag it with the strongest lock; row locks are only a warning."""
    called = next((f for f in context.facts.functions if f in _SLEEPS), None)
    if called is None or context.session.transaction is None:
        return
    held = [k for k in context.held_at_least("ROW EXCLUSIVE") if k.certain]
    if not held:
        return
    lock = max(held, key=lambda k: (at_least(k.mode, "ACCESS EXCLUSIVE"), at_least(k.mode, "SHARE")))
    strong = at_least(lock.mode, "SHARE")
    who = "writes" if strong else "writers of the changed rows"
    yield Hit(
        at=context.facts.span,
        about=(context.table(lock.relation),),
        severity=None if strong else "warning",
        values={
            "function": called,
            "mode": lock.mode,
            "table": context.sql(lock.relation),
            "who": "reads and writes" if at_least(lock.mode, "ACCESS EXCLUSIVE") else who,
        },
    )
