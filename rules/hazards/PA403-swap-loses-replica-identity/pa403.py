"""Replica identity is set for each table, and partitions do not take it from their parent."""

from __future__ import annotations

from collections.abc import Iterator

from partadvisor.lint.context import Hit, ScriptContext
from partadvisor.lint.swaps import leaves, swaps


def check_script(script: ScriptContext) -> Iterator[Hit]:
    """Flag each swap with such a partition."""
    for swap in swaps(script):
        identity = swap.before.replica_identity
        lacking = [p.name for p in leaves(script.final, swap.new) if p.replica_identity == "default"]
        if identity == "default" or not lacking:
            continue
        words = identity.upper() if identity != "index" else "USING INDEX …"
        names = [swap.into.sql(n) for n in lacking]
        yield Hit(
            at=swap.at,
            values={
                "table": swap.into.sql(swap.name),
                "identity": words,
                "missing": ", ".join(names),
                "recipe": "\n".join(f"ALTER TABLE {n} REPLICA IDENTITY {words};" for n in names)
                if "…" not in words
                else "",
            },
        )
