"""Work in a transaction that holds a strong lock from before."""

from __future__ import annotations

from collections.abc import Iterator

from partadvisor.lint.amounts import few_rows
from partadvisor.lint.context import Context, Hit, ScriptContext, at_least
from partadvisor.lint.proofs import proves_bound, proves_not_null
from partadvisor.lint.session import Lock
from partadvisor.lint.sizes import is_quiet
from partadvisor.lint.tables import Table
from partadvisor.model.ddl import Action, AlterColumn, AttachPartition, Delete, Merge, Update, ValidateConstraint

_WORDS = {
    "scan": "all rows of {0} are read",
    "rewrite": "{0} is written anew",
    "index build": "an index of {0} is built",
}
_QUIET = ("new", "small and idle")


def check_script(script: ScriptContext) -> Iterator[Hit]:
    """Flag the first such work of each transaction."""
    flagged: set[int] = set()
    for context in script.statements:
        mine = context.session.transaction
        if mine is None or mine.number in flagged or context.origin == "routine":
            continue
        found = _work(context)
        held = [
            k for k in context.held_at_least("SHARE") if k.certain and not is_quiet(context.table(k.relation), _QUIET)
        ]
        if found is None or not held:
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
        values={
            "what": what.format(context.sql(table.name)),
            "mode": lock.mode,
            "locked": context.sql(lock.relation),
            "who": "reads and writes" if reads else "writes",
            "line": str(script.text.count("\n", 0, taken.facts.span.start) + 1),
            "statement": context.facts.text,
        },
    )


def _work(context: Context) -> tuple[str, Table] | None:
    """What takes long, and on which table. What was added NOT VALID just before has a rule of its own."""
    for action in context.facts.actions:
        if isinstance(action, Update | Delete | Merge):
            where = action.where if isinstance(action, Update | Delete) else None
            table = context.table(action.table)
            if not few_rows(where) and not is_quiet(table, _QUIET):
                return "rows of {0} are changed", table
    if any(_spared(context, a) for a in context.facts.actions):
        return None
    found = ((_WORDS[k.work], context.table(k.relation)) for k in context.locks if k.certain and k.work in _WORDS)
    return next((f for f in found if not is_quiet(f[1], _QUIET)), None)


def _spared(context: Context, action: Action) -> bool:
    """What reads nothing because of a proof, and VALIDATE, which has a rule of its own."""
    match action:
        case AttachPartition(table=table, partition=partition, bound=bound):
            return proves_bound(context.table(partition), context.table(table).partition_by, bound) is not False
        case AlterColumn(what="set not null", table=table, column=column):
            return proves_not_null(context.table(table), column) is not False
    return isinstance(action, ValidateConstraint)
