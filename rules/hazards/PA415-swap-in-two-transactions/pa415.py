"""Between two renames that commit separately the name means nothing."""

from __future__ import annotations

from collections.abc import Iterator

from partadvisor.lint.context import Hit, ScriptContext
from partadvisor.lint.swaps import swaps


def check_script(script: ScriptContext) -> Iterator[Hit]:
    """Flag the first half of each."""
    for swap in swaps(script):
        if not swap.in_one_transaction:
            yield Hit(
                at=swap.away_at,
                about=(swap.old,),
                values={
                    "table": swap.into.sql(swap.name),
                    "new": swap.into.sql(swap.came_from),
                    "away": swap.away.facts.text,
                    "into": swap.into.facts.text,
                },
            )
