"""A copied identity column has a sequence of its own, which starts from the beginning."""

from __future__ import annotations

from collections.abc import Iterator

from partadvisor.lint.context import Context, Hit, ScriptContext
from partadvisor.lint.swaps import swaps
from partadvisor.model.ddl import AlterColumn, AlterOther, CreateTable
from partadvisor.pg.quote import quote_literal
from partadvisor.pg.readable import readable_ident


def check_script(script: ScriptContext) -> Iterator[Hit]:
    """Flag each swap whose new identity nobody moves on."""
    if any(_moves_on(c) for c in script.statements):
        return
    for swap in swaps(script):
        column = next((c.name for c in swap.new.columns.values() if c.identity), None)
        numbered = swap.old.columns.get(column or "")
        if column is None or (numbered is not None and not (numbered.identity or numbered.default)):
            continue
        yield Hit(
            at=swap.at,
            confidence="high" if numbered else None,
            values={
                "column": readable_ident(column),
                "table": swap.into.sql(swap.name),
                "new": quote_literal(swap.into.sql(swap.came_from)),
                "old": quote_literal(swap.into.sql(swap.name)),
                "column_text": quote_literal(column),
            },
        )


def _moves_on(context: Context) -> bool:
    """setval, RESTART, or an identity with a start of its own."""
    restarted = any(a.what == "set identity" for a in context.actions(AlterColumn))
    altered = any(a.kind == "sequence" for a in context.actions(AlterOther))
    started = any("start" in context.facts.text.lower() for _ in context.actions(CreateTable))
    return restarted or altered or started or "setval" in context.facts.functions
