"""The old table is the only proof of what was there."""

from __future__ import annotations

from collections.abc import Iterator

from partadvisor.lint.context import Hit, ScriptContext
from partadvisor.lint.swaps import Swap, swaps
from partadvisor.model.ddl import Drop, Insert


def check_script(script: ScriptContext) -> Iterator[Hit]:
    """Flag the drop of each retired table that nobody looked at."""
    for swap in swaps(script):
        for context in script.statements[swap.into.position :]:
            for drop in context.actions(Drop):
                names = {context.scope.resolve(n) for n in drop.names if drop.kind == "table"}
                if swap.retired in names and not _compared(script, swap, context.position):
                    yield Hit(at=drop.span, about=(swap.old,), values={"table": context.sql(swap.retired or "")})


def _compared(script: ScriptContext, swap: Swap, until: int) -> bool:
    """Whether a query reads both, under the names they had then."""
    for context in script.statements[:until]:
        read = {context.scope.resolve(n) for n in context.facts.reads}
        pairs = ({swap.name, swap.came_from}, {swap.name, swap.retired})
        writes = any(True for _ in context.actions(Insert))
        if not writes and any(pair <= read for pair in pairs):
            return True
    return False
