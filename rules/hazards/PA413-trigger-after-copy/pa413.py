"""A trigger that repeats changes must be there before the copy begins."""

from __future__ import annotations

from collections.abc import Iterator

from partadvisor.lint.context import Hit, ScriptContext
from partadvisor.lint.swaps import copies, shielded, swaps, sync_triggers
from partadvisor.model.ddl import Insert
from partadvisor.pg.readable import readable_ident


def check_script(script: ScriptContext) -> Iterator[Hit]:
    """Flag the trigger of each swap that comes too late."""
    for swap in swaps(script):
        triggers, made = sync_triggers(script, swap), copies(script, swap)
        if not triggers or not made or shielded(made[0][0], swap):
            continue
        context, trigger = triggers[0]
        early = [copy for other, copy in made if other.position < context.position]
        rehearsed = all(isinstance(i, Insert) and i.limited for i in early) and len(early) < len(made)
        if early and not rehearsed:
            values = {"trigger": readable_ident(trigger.trigger), "table": context.sql(swap.name)}
            yield Hit(at=trigger.span, about=(swap.before,), values=values)
