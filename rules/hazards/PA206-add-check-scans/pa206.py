"""A CHECK that is added and validated at once."""

from __future__ import annotations

from collections.abc import Iterator

from partadvisor.lint.context import Context, Hit
from partadvisor.model.ddl import AddColumn, AddConstraint, AlterTable
from partadvisor.model.ddl_parts import Constraint
from partadvisor.pg.readable import readable_ident

WANTS = (AddConstraint, AddColumn)


def check(context: Context) -> Iterator[Hit]:
    """Flag each, those written with a new column too."""
    for action in context.actions(AddConstraint):
        yield from _hits(context, action, (action.constraint,))
    for column in context.actions(AddColumn):
        yield from _hits(context, column, column.column.constraints)


def _hits(context: Context, action: AlterTable, constraints: tuple[Constraint, ...]) -> Iterator[Hit]:
    table = context.table(action.table)
    for constraint in constraints:
        if constraint.kind != "check" or constraint.not_valid or not constraint.enforced or table.empty:
            continue
        name = readable_ident(
            constraint.name or f"{action.table.name}_{'_'.join(constraint.columns[:1]) or 'rows'}_check"
        )
        shown, text = context.sql(action.table), constraint.check.text if constraint.check else ""
        yield Hit(
            at=constraint.span,
            about=(table,),
            scanned=table,
            values={
                "table": shown,
                "name": name,
                "check": f"({text})",
                "add": f"ALTER TABLE {shown} ADD CONSTRAINT {name} CHECK ({text})",
            },
        )
