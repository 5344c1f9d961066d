"""Work in a transaction that holds a strong lock from before."""

from __future__ import annotations

from collections.abc import Iterator

from partadvisor.lint.context import Context, Hit, ScriptContext, at_least
from partadvisor.lint.session import Lock
from partadvisor.lint.sizes import is_quiet
from partadvisor.lint.tables import Table
from partadvisor.lint.work import long_work

_QUIET = ("new", "small and idle")


def check_script(script: ScriptContext) -> Iterator[Hit]:
    """Flag the first such work of each transaction."""
    flagged: set[int] = set()
    for context in script.statements:
        mine = context.session.transaction
        if mine is None or mine.number in flagged or context.origin == "routine":
            continue
        found = long_work(context, _QUIET) if context.session.held else None
        if found is None:
            continue
        held = [
            k for k in context.held_at_least("SHARE") if k.certain and not is_quiet(context.table(k.relation), _QUIET)
        ]
        if not held:
            continue
        flagged.add(mine.number)
        yield _hit(script, context, *found, max(held, key=lambda k: at_least(k.mode, "ACCESS EXCLUSIVE")))


def _hit(script: ScriptContext, context: Context, what: str, table: Table, lock: Lock) -> Hit:
    reads = at_least(lock.mode, "ACCESS EXCLUSIVE")
    taken = script.statements[lock.statement] if 0 <= lock.statement < len(script.statements) else context
    return Hit(
        at=context.facts.actions[0].span,
        about=(context.table(lock.relation),),
        scanned=table,
        severity="warning" if context.conditional and taken.conditional else None,  # may be another branch
        values={
            "what": what.format(context.sql(table.name)),
            "mode": lock.mode,
            "locked": context.sql(lock.relation),
            "who": "reads and writes" if reads else "writes",
            "line": str(script.text.count("\n", 0, taken.facts.span.start) + 1),
            "statement": context.facts.text,
        },
    )
