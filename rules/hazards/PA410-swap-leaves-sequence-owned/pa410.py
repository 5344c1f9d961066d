"""An owned sequence goes with its table, not with the name."""

from __future__ import annotations

from collections.abc import Iterator

from partadvisor.lint.context import Hit, ScriptContext
from partadvisor.lint.swaps import retired_text, swaps
from partadvisor.pg.readable import readable_ident


def check_script(script: ScriptContext) -> Iterator[Hit]:
    """Flag each swap that leaves such a sequence."""
    for swap in swaps(script):
        for sequence in swap.before.owned_sequences:
            short = sequence.rpartition(".")[2]
            users = [c for c in swap.new.columns.values() if short in (c.default or "") and not c.identity]
            if users and sequence not in swap.new.owned_sequences:
                yield Hit(
                    at=swap.at,
                    values={
                        "sequence": swap.into.sql(sequence),
                        "table": swap.into.sql(swap.name),
                        "retired": retired_text(swap),
                        "column": readable_ident(users[0].name),
                    },
                )
