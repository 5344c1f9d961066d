"""ON DELETE CASCADE into a partitioned table, not by its key."""

from __future__ import annotations

from collections.abc import Iterator

from partadvisor.lint.context import Context, Hit
from partadvisor.model.ddl import AddConstraint, CreateTable
from partadvisor.model.ddl_parts import Constraint, Name, PartitionBy
from partadvisor.pg.readable import readable_ident

WANTS = (CreateTable, AddConstraint)
_ACTIVE = ("CASCADE", "SET NULL", "SET DEFAULT")


def check(context: Context) -> Iterator[Hit]:
    """Flag foreign keys that act on rows they cannot find by pruning."""
    for create in context.actions(CreateTable):
        constraints = (*(k for c in create.columns for k in c.constraints), *create.constraints)
        yield from _hits(context, create.table, create.partition_by, constraints)
    for add in context.actions(AddConstraint):
        yield from _hits(context, add.table, context.table(add.table).partition_by, (add.constraint,))


def _hits(context: Context, name: Name, key: PartitionBy | None, constraints: tuple[Constraint, ...]) -> Iterator[Hit]:
    for constraint in constraints:
        if key is None or constraint.references is None or constraint.on_delete not in _ACTIVE:
            continue
        first = key.columns[:1] if key.strategy == "range" else key.columns
        if not set(first) <= set(constraint.columns):
            yield Hit(
                at=constraint.span,
                values={
                    "table": context.sql(name),
                    "referenced": context.sql(constraint.references),
                    "columns": ", ".join(readable_ident(c) for c in constraint.columns),
                },
            )
