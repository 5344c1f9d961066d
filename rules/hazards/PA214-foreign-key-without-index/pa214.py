"""A foreign key without an index on its side."""

from __future__ import annotations

from collections.abc import Iterator

from partadvisor.lint.context import Context, Hit
from partadvisor.model.ddl import AddColumn, AddConstraint, CreateTable
from partadvisor.model.ddl_parts import Constraint, Name
from partadvisor.pg.readable import readable_ident

WANTS = (CreateTable, AddConstraint, AddColumn)


def check(context: Context) -> Iterator[Hit]:
    """Flag those where all indexes are known: of new tables, new columns, and of the catalog."""
    for create in context.actions(CreateTable):
        of_columns = (k for c in create.columns for k in c.constraints)
        yield from _hits(context, create.table, (*of_columns, *create.constraints))
    for add in context.actions(AddConstraint):
        if context.table(add.table).known:
            yield from _hits(context, add.table, (add.constraint,))
    for column in context.actions(AddColumn):
        yield from _hits(context, column.table, column.column.constraints)


def _hits(context: Context, name: Name, constraints: tuple[Constraint, ...]) -> Iterator[Hit]:
    for constraint in constraints:
        if constraint.references is None or _indexed(context, name, constraint):
            continue
        deletes = constraint.on_delete not in ("NO ACTION", "RESTRICT")
        yield Hit(
            at=constraint.span,
            about=(context.script.final.table(context.scope.resolve(name)),),
            severity="warning" if deletes else None,
            values={
                "table": context.sql(name),
                "columns": ", ".join(readable_ident(c) for c in constraint.columns),
                "referenced": context.sql(constraint.references),
            },
        )


def _indexed(context: Context, name: Name, constraint: Constraint) -> bool:
    """Whether an index, then or at the end of the file, begins with the columns in any order.

    A table that is renamed later is not found at the end.
    """
    tables = (context.table(name), context.script.final.table(context.scope.resolve(name)))
    wanted = set(constraint.columns)
    inline = [c.columns for t in tables for c in t.constraints.values() if c.kind in ("primary_key", "unique")]
    found = [i.columns for t in tables for i in t.indexes.values() if i.where is None]
    return any(set(columns[: len(wanted)]) == wanted for columns in (*found, *inline))
