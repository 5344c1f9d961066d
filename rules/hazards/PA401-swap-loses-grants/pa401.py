"""The table that takes a name has none of the privileges of the one before."""

from __future__ import annotations

from collections.abc import Iterator

from partadvisor.lint.context import Hit, ScriptContext
from partadvisor.lint.swaps import retired_text, swaps
from partadvisor.pg.grants import grant_statements


def check_script(script: ScriptContext) -> Iterator[Hit]:
    """Flag swaps that lose privileges, and note those where nobody can know."""
    for swap in swaps(script):
        if swap.new.grants or (swap.before.known and not swap.before.grants):
            continue
        seen = bool(swap.before.grants)
        yield Hit(
            at=swap.at,
            values={
                "table": swap.into.sql(swap.name),
                "retired": retired_text(swap),
                "recipe": _grants(swap.before.grants, swap.into.sql(swap.came_from)),
            },
            message=None
            if seen
            else "{table} has only the privileges of its owner: those of the table before stay behind",
            severity=None if seen else "info",
            confidence=None if seen else "low",
        )


def _grants(items: tuple[str, ...], table: str) -> str:
    """The statements that repeat them on the new table; "" where only the file told of them."""
    if not items or not all("=" in item for item in items):
        return ""
    _revoke, *grants = grant_statements(items, f"TABLE {table}", "owner")  # the new table's owner keeps what it has
    return "\n".join(f"{g};" for g in grants)
