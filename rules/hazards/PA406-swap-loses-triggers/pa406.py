"""Triggers stay with the table they were made for."""

from __future__ import annotations

from collections.abc import Iterator

from partadvisor.lint.context import Hit, ScriptContext
from partadvisor.lint.swaps import leaves, swaps
from partadvisor.pg.readable import readable_ident


def check_script(script: ScriptContext) -> Iterator[Hit]:
    """Flag each swap that loses a trigger; a trigger under another name counts as a successor."""
    for swap in swaps(script):
        kept = set(swap.old.triggers)
        before = [t for t in swap.before.triggers if t in kept]
        own = {t for p in (swap.new, *leaves(script.final, swap.new)) if p.name != swap.retired for t in p.triggers}
        missing = [t for t in before if t not in own]
        if missing and len(own) < len(before):
            values = {"table": swap.into.sql(swap.name), "triggers": ", ".join(map(readable_ident, missing))}
            yield Hit(at=swap.at, values=values)
