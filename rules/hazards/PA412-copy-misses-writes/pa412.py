"""What clients write between the copy and the swap is lost."""

from __future__ import annotations

from collections.abc import Iterator

from partadvisor.lint.context import Hit, ScriptContext
from partadvisor.lint.swaps import catches_up, copies, shielded, swaps, sync_triggers


def check_script(script: ScriptContext) -> Iterator[Hit]:
    """Flag the first copy of each swap that nothing covers."""
    for swap in swaps(script):
        made = copies(script, swap)
        open_ones = [(c, i) for c, i in made if not shielded(c, swap)]
        if not open_ones or catches_up(made, swap) or sync_triggers(script, swap):
            continue
        context, insert = open_ones[0]
        yield Hit(
            at=insert.span,
            about=(swap.before,),
            confidence="low" if swap.before.triggers else None,
            values={"table": context.sql(swap.name), "new": context.sql(swap.came_from)},
        )
