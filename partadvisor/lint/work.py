"""What in a statement takes time that grows with a table."""

from __future__ import annotations

from partadvisor.lint.amounts import few_rows
from partadvisor.lint.context import Context
from partadvisor.lint.proofs import proves_bound, proves_not_null
from partadvisor.lint.sizes import is_quiet
from partadvisor.lint.tables import Table
from partadvisor.model.ddl import Action, AlterColumn, AttachPartition, Delete, Merge, Update, ValidateConstraint

_WORDS = {
    "scan": "all rows of {0} are read",
    "rewrite": "{0} is written anew",
    "index build": "an index of {0} is built",
}


def long_work(context: Context, quiet: tuple[str, ...]) -> tuple[str, Table] | None:
    """What takes long, as a text with a place for the table, and on which table; tables in ``quiet`` take no time."""
    for action in context.facts.actions:
        if isinstance(action, Update | Delete | Merge):
            where = action.where if isinstance(action, Update | Delete) else None
            table = context.table(action.table)
            if not few_rows(where) and not is_quiet(table, quiet):
                return "rows of {0} are changed", table
    if any(_spared(context, a) for a in context.facts.actions):
        return None
    found = (
        (_WORDS[k.work], context.table(k.relation))
        for k in context.locks
        if k.certain and k.work in _WORDS and k.role != "sequence"
    )
    return next((f for f in found if not is_quiet(f[1], quiet)), None)


def _spared(context: Context, action: Action) -> bool:
    """What reads nothing because of a proof; and VALIDATE of what the transaction added, with its own rule."""
    match action:
        case AttachPartition(table=table, partition=partition, bound=bound):
            return proves_bound(context.table(partition), context.table(table).partition_by, bound) is not False
        case AlterColumn(what="set not null", table=table, column=column):
            return proves_not_null(context.table(table), column) is not False
        case ValidateConstraint(table=table, constraint=name):
            added, mine = context.table(table).constraints.get(name), context.session.transaction
            return added is not None and added.created is not None and mine is not None and added.created >= mine.start
    return False
