"""The old table is the only proof of what was there."""

from __future__ import annotations

from collections.abc import Iterator

from partadvisor.lint.context import Context, Hit, ScriptContext
from partadvisor.lint.swaps import Swap, swaps
from partadvisor.model.ddl import CreateRoutine, DoBlock, Drop, Insert


def check_script(script: ScriptContext) -> Iterator[Hit]:
    """Flag the drop of each retired table that nobody looked at."""
    for swap in swaps(script):
        for context in script.statements[swap.into.position :]:
            for drop in context.actions(Drop):
                names = {context.scope.resolve(n) for n in drop.names if drop.kind == "table"}
                if swap.retired in names and not _compared(script, swap, context.position):
                    yield Hit(at=drop.span, about=(swap.old,), values={"table": context.sql(swap.retired or "")})


def _compared(script: ScriptContext, swap: Swap, until: int) -> bool:
    """Whether a query or the code of a DO block reads both, under the names they had then."""
    pairs = ({swap.name, swap.came_from}, {swap.name, swap.retired or ""})
    return any(_reads_both(c, pair) for c in script.statements[:until] for pair in pairs)


def _reads_both(context: Context, pair: set[str]) -> bool:
    if any(True for _ in context.actions(Insert)):
        return False
    read = {context.scope.resolve(n) for n in context.facts.reads}
    bodies = [b.body for b in context.actions(DoBlock)] + [r.body or "" for r in context.actions(CreateRoutine)]
    return pair <= read or any(all(_named(n, pair, body.replace('"', "")) for n in pair) for body in bodies)


def _named(name: str, pair: set[str], body: str) -> bool:
    """Whether code names the table; without its schema where that tells it from the other."""
    short = name.rpartition(".")[2]
    alone = len({n.rpartition(".")[2] for n in pair}) == len(pair)
    return name in body or (alone and short in {w.strip("();,") for w in body.split()})
