"""A foreign key between columns of different types."""

from __future__ import annotations

from collections.abc import Iterator

from partadvisor.lint.context import Context, Hit
from partadvisor.lint.tables import Table
from partadvisor.lint.type_change import parts_of
from partadvisor.model.ddl import AddColumn, AddConstraint, CreateTable
from partadvisor.model.ddl_parts import Constraint, Name
from partadvisor.pg.readable import readable_ident

WANTS = (CreateTable, AddConstraint, AddColumn)
_SAME = {"character varying": "text"}


def check(context: Context) -> Iterator[Hit]:
    """Compare types where both are known."""
    for create in context.actions(CreateTable):
        types = {c.name: c.type for c in create.columns}
        constraints = (*(k for c in create.columns for k in c.constraints), *create.constraints)
        yield from _hits(context, create.table, types, constraints)
    for add in context.actions(AddConstraint):
        known = {c.name: c.type for c in context.table(add.table).columns.values()}
        yield from _hits(context, add.table, known, (add.constraint,))
    for column in context.actions(AddColumn):
        yield from _hits(context, column.table, {column.column.name: column.column.type}, column.column.constraints)


def _hits(context: Context, name: Name, types: dict[str, str], constraints: tuple[Constraint, ...]) -> Iterator[Hit]:
    for constraint in constraints:
        if constraint.references is None:
            continue
        referenced = context.table(constraint.references)
        for column, other in zip(constraint.columns, _referenced(constraint, referenced), strict=False):
            target = referenced.columns.get(other)
            mine, theirs = types.get(column, ""), target.type if target else ""
            if mine and theirs and _plain(mine) != _plain(theirs):
                yield Hit(
                    at=constraint.span,
                    values={
                        "column": f"{context.sql(name)}.{readable_ident(column)}",
                        "type": mine,
                        "referenced": f"{context.sql(constraint.references)}.{readable_ident(other)}",
                        "other": theirs,
                    },
                )


def _referenced(constraint: Constraint, table: Table) -> tuple[str, ...]:
    key = table.primary_key
    return constraint.referenced_columns or (key.columns if key else ())


def _plain(type_text: str) -> str:
    name = parts_of(type_text)[0]
    return _SAME.get(name, name)
