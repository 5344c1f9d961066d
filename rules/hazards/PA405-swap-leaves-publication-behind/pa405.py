"""A publication lists tables by identity."""

from __future__ import annotations

from collections.abc import Iterator

from partadvisor.lint.context import Hit, ScriptContext
from partadvisor.lint.swaps import retired_text, swaps
from partadvisor.pg.readable import readable_ident


def check_script(script: ScriptContext) -> Iterator[Hit]:
    """Flag each swap that leaves a publication behind."""
    for swap in swaps(script):
        missing = [p for p in swap.before.publications if p not in swap.new.publications]
        if missing:
            table = swap.into.sql(swap.name)
            yield Hit(
                at=swap.at,
                values={
                    "table": table,
                    "retired": retired_text(swap),
                    "publications": ", ".join(map(readable_ident, missing)),
                    "recipe": "\n".join(f"ALTER PUBLICATION {readable_ident(p)} ADD TABLE {table};" for p in missing),
                },
            )
