"""What was unique before the swap is not any more."""

from __future__ import annotations

from collections.abc import Iterator

from partadvisor.lint.context import Hit, ScriptContext
from partadvisor.lint.swaps import swaps
from partadvisor.lint.tables import Table
from partadvisor.pg.readable import readable_ident


def check_script(script: ScriptContext) -> Iterator[Hit]:
    """Flag each swap that loses one."""
    for swap in swaps(script):
        if not swap.new.known:
            continue
        own = _unique(swap.new)
        for columns in sorted(_unique(swap.before) & _unique(swap.old), key=sorted):
            if not any(k <= columns for k in own):
                names = ", ".join(map(readable_ident, sorted(columns)))
                yield Hit(at=swap.at, values={"table": swap.into.sql(swap.name), "columns": names})


def _unique(table: Table) -> set[frozenset[str]]:
    """Sets of columns that are unique for the table as a whole."""
    keys = [i.columns for i in table.indexes.values() if i.unique and i.valid and not i.where]
    keys += [c.columns for c in table.constraints.values() if c.kind in ("primary_key", "unique")]
    return {frozenset(c for c in k if c is not None) for k in keys if k and None not in k}
