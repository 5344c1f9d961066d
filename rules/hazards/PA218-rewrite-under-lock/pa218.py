"""Commands that copy a table under ACCESS EXCLUSIVE."""

from __future__ import annotations

from collections.abc import Iterator

from partadvisor.lint.context import Context, Hit
from partadvisor.model.ddl import AlterTableOther, Maintain
from partadvisor.model.ddl_parts import Name, Span

WANTS = (AlterTableOther, Maintain)
_COPIES = ("set logged", "set unlogged", "set tablespace", "set access method")


def check(context: Context) -> Iterator[Hit]:
    """Flag each; on a partitioned table the settings only count for new partitions."""
    for action in context.actions(AlterTableOther):
        if action.what in _COPIES and not context.table(action.table).partitioned:
            yield _hit(
                context,
                action.span,
                action.what.upper(),
                action.table,
                "Fill a new table beside it and swap the names.",
            )
    for maintain in context.actions(Maintain):
        full = maintain.command == "vacuum" and maintain.full
        if not full and maintain.command != "cluster":
            continue
        what = "VACUUM FULL" if full else "CLUSTER"
        for name in maintain.names or (None,):
            yield _hit(
                context, maintain.span, what, name, "Use plain VACUUM, or pg_repack, which lets reads and writes go on."
            )


def _hit(context: Context, at: Span, what: str, name: Name | None, how: str) -> Hit:
    table = context.table(name) if name else None
    return Hit(
        at=at,
        about=(table,) if table else (),
        scanned=table,
        values={"what": what, "table": context.sql(name) if name else "every table", "how": how},
    )
