"""A foreign key that is added and validated at once."""

from __future__ import annotations

from collections.abc import Iterator

from partadvisor.lint.context import Context, Hit
from partadvisor.model.ddl import AddColumn, AddConstraint, AlterTable
from partadvisor.model.ddl_parts import Constraint
from partadvisor.pg.readable import readable_ident

WANTS = (AddConstraint, AddColumn)


def check(context: Context) -> Iterator[Hit]:
    """Flag each; a new column without a default has nothing to check. Partitioned tables have a rule of their own."""
    for action in context.actions(AddConstraint):
        yield from _hits(context, action, (action.constraint,))
    for column in context.actions(AddColumn):
        if column.column.default is not None:
            yield from _hits(context, column, column.column.constraints)


def _hits(context: Context, action: AlterTable, constraints: tuple[Constraint, ...]) -> Iterator[Hit]:
    table = context.table(action.table)
    for constraint in constraints:
        if constraint.references is None or constraint.not_valid or not constraint.enforced:
            continue
        if table.partitioned or table.empty:
            continue
        referenced = context.table(constraint.references)
        columns = ", ".join(readable_ident(c) for c in constraint.columns)
        to = ", ".join(readable_ident(c) for c in constraint.referenced_columns)
        other = context.sql(constraint.references)
        yield Hit(
            at=constraint.span,
            about=(table, referenced),
            scanned=table,
            values={
                "table": context.sql(action.table),
                "referenced": other,
                "name": readable_ident(constraint.name or f"{action.table.name}_{'_'.join(constraint.columns)}_fkey"),
                "definition": f"FOREIGN KEY ({columns}) REFERENCES {other}{f' ({to})' if to else ''}"
                + (f" ON DELETE {constraint.on_delete}" if constraint.on_delete != "NO ACTION" else "")
                + (f" ON UPDATE {constraint.on_update}" if constraint.on_update != "NO ACTION" else ""),
            },
        )
