"""The table that takes a name has none of the privileges of the one before."""

from __future__ import annotations

from collections.abc import Iterator

from partadvisor.lint.context import Hit, ScriptContext
from partadvisor.lint.swaps import retired_text, swaps


def check_script(script: ScriptContext) -> Iterator[Hit]:
    """Flag swaps that lose privileges, and note those where nobody can know."""
    for swap in swaps(script):
        if swap.new.grants or (swap.before.known and not swap.before.grants):
            continue
        seen = bool(swap.before.grants)
        yield Hit(
            at=swap.at,
            values={"table": swap.into.sql(swap.name), "retired": retired_text(swap)},
            message=None
            if seen
            else "{table} has only the privileges of its owner: those of the table before stay behind",
            severity=None if seen else "info",
            confidence=None if seen else "low",
        )
