"""The highest key copied does not tell what was missed."""

from __future__ import annotations

from collections.abc import Iterator

from partadvisor.lint.context import Hit, ScriptContext
from partadvisor.lint.swaps import catches_up, copies, swaps, sync_triggers


def check_script(script: ScriptContext) -> Iterator[Hit]:
    """Flag each such copy."""
    for swap in swaps(script):
        if sync_triggers(script, swap):
            continue
        for context, insert in catches_up(copies(script, swap), swap):
            yield Hit(at=insert.span, about=(swap.before,), values={"table": context.sql(swap.name)})
