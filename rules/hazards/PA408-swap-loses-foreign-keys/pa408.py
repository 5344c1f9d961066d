"""LIKE copies no foreign keys."""

from __future__ import annotations

from collections.abc import Iterator

from partadvisor.lint.context import Hit, ScriptContext
from partadvisor.lint.swaps import Swap, swaps
from partadvisor.lint.tables import ConstraintState
from partadvisor.pg.readable import readable_ident


def check_script(script: ScriptContext) -> Iterator[Hit]:
    """Flag each swap that loses one."""
    for swap in swaps(script):
        own = {(k.columns, k.references) for k in swap.new.of_kind("foreign_key")}
        kept = set(swap.old.constraints)
        keys = [k for k in swap.before.of_kind("foreign_key") if k.name in kept and k.references]
        missing = [k for k in keys if (k.columns, k.references) not in own]
        if missing:
            table = swap.into.sql(swap.name)
            yield Hit(
                at=swap.at,
                values={
                    "table": table,
                    "referenced": ", ".join(swap.into.sql(k.references) for k in missing if k.references),
                    "recipe": "\n".join(_add(swap, swap.into.sql(swap.came_from), k) for k in missing),
                },
            )


def _add(swap: Swap, table: str, key: ConstraintState) -> str:
    columns, target = (", ".join(map(readable_ident, c)) for c in (key.columns, key.referenced_columns))
    referenced = swap.into.sql(key.references or "") + (f" ({target})" if target else "")
    name = readable_ident(key.name)
    return f"ALTER TABLE {table} ADD CONSTRAINT {name} FOREIGN KEY ({columns}) REFERENCES {referenced};"
