"""SET NOT NULL in all its forms, without a proof."""

from __future__ import annotations

from collections.abc import Iterator

from partadvisor.lint.context import Context, Hit
from partadvisor.lint.proofs import proves_not_null
from partadvisor.model.ddl import AddConstraint, AlterColumn, AlterTable
from partadvisor.pg.readable import readable_ident

WANTS = (AlterColumn, AddConstraint)


def check(context: Context) -> Iterator[Hit]:
    """Flag each column that the server has to look at."""
    for action in context.actions(AlterColumn):
        if action.what == "set not null":
            yield from _hits(context, action, action.column, "")
    for add in context.actions(AddConstraint):
        if add.constraint.kind == "not_null" and not add.constraint.not_valid:
            yield from _hits(context, add, add.constraint.columns[0], "")
        if add.constraint.kind == "primary_key" and add.constraint.using_index is not None:
            index = context.table(add.table).indexes.get(add.constraint.using_index)
            for column in index.columns if index else ():
                known = context.table(add.table).columns.get(column or "")
                if column is not None and known is not None:
                    yield from _hits(context, add, column, ", because a primary key implies it")


def _hits(context: Context, action: AlterTable, column: str, why: str) -> Iterator[Hit]:
    table = context.table(action.table)
    known = table.columns.get(column)
    valid = all(c.validated for c in table.of_kind("not_null") if c.columns == (column,))
    proved = proves_not_null(table, column) if context.versions.all(since=12) else False
    if (known and known.not_null and valid) or proved or table.empty:
        return
    name, shown = context.sql(action.table), readable_ident(column)
    new_way = context.versions.all(since=18)
    constraint = readable_ident(f"{action.table.name}_{column}_not_null")
    kind = f"NOT NULL {shown}" if new_way else f"CHECK ({shown} IS NOT NULL)"
    lines = [
        f"ALTER TABLE {name} ADD CONSTRAINT {constraint} {kind} NOT VALID;",
        f"ALTER TABLE {name} VALIDATE CONSTRAINT {constraint};",
    ]
    if not new_way:
        lines += [f"{context.facts.text};", f"ALTER TABLE {name} DROP CONSTRAINT {constraint};"]
    yield Hit(
        at=action.span,
        about=(table,),
        scanned=table,
        confidence="low" if proved is None else "high" if table.known else None,
        values={
            "table": name,
            "column": shown,
            "why": why,
            "how": "Add it NOT VALID and VALIDATE it." if new_way else "Prove it first with a CHECK that is validated.",
            "recipe": "\n".join(lines),
        },
    )
