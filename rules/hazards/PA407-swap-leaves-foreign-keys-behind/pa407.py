"""Foreign keys of other tables point to the old table whatever it is called."""

from __future__ import annotations

from collections.abc import Iterator

from partadvisor.lint.context import Hit, ScriptContext
from partadvisor.lint.swaps import retired_text, swaps


def check_script(script: ScriptContext) -> Iterator[Hit]:
    """Flag each swap that leaves one behind."""
    for swap in swaps(script):
        if swap.retired is None:
            continue
        behind = [
            other
            for other in swap.before.referenced_by
            if any(k.references == swap.retired for k in script.final.table(other).of_kind("foreign_key"))
        ]
        if behind:
            yield Hit(
                at=swap.at,
                values={
                    "table": swap.into.sql(swap.name),
                    "retired": retired_text(swap),
                    "referencing": ", ".join(map(swap.into.sql, behind)),
                },
            )
