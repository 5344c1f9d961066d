"""Views hold on to the table they were made for, whatever it is called."""

from __future__ import annotations

from collections.abc import Iterator

from partadvisor.lint.context import Hit, ScriptContext
from partadvisor.lint.swaps import retired_text, swaps


def check_script(script: ScriptContext) -> Iterator[Hit]:
    """Flag each swap that leaves a view behind."""
    for swap in swaps(script):
        behind = script.final.table(swap.retired).views if swap.retired else ()
        missing = [v for v in swap.before.views if v in behind and v not in swap.new.views]
        if missing:
            yield Hit(
                at=swap.at,
                values={
                    "table": swap.into.sql(swap.name),
                    "retired": retired_text(swap),
                    "views": ", ".join(map(swap.into.sql, missing)),
                },
            )
