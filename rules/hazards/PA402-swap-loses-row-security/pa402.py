"""Row security is a property of the table, not of its name."""

from __future__ import annotations

from collections.abc import Iterator

from partadvisor.lint.context import Hit, ScriptContext
from partadvisor.lint.swaps import Swap, swaps


def check_script(script: ScriptContext) -> Iterator[Hit]:
    """Flag each swap that loses it."""
    for swap in swaps(script):
        if swap.before.row_security and not swap.new.row_security:
            yield _hit(swap, "it is off")
        elif swap.before.row_security and swap.before.policies and not swap.new.policies:
            yield _hit(swap, "there is no policy")


def _hit(swap: Swap, what: str) -> Hit:
    return Hit(at=swap.at, values={"table": swap.into.sql(swap.name), "what": what})
