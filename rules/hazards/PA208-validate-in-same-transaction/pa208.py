"""VALIDATE CONSTRAINT right after ADD … NOT VALID."""

from __future__ import annotations

from collections.abc import Iterator

from partadvisor.lint.context import Context, Hit
from partadvisor.model.ddl import AddConstraint, ValidateConstraint
from partadvisor.model.ddl_parts import Constraint
from partadvisor.pg.readable import readable_ident

WANTS = (ValidateConstraint,)


def check(context: Context) -> Iterator[Hit]:
    """Flag a constraint of the same transaction."""
    for action in context.actions(ValidateConstraint):
        table = context.table(action.table)
        added = _added(context, table.name, action.constraint)
        if added is None or table.empty:
            continue
        weak = added.kind == "foreign_key"
        yield Hit(
            at=action.span,
            about=(table,),
            scanned=table,
            values={
                "table": context.sql(action.table),
                "mode": "SHARE ROW EXCLUSIVE" if weak else "ACCESS EXCLUSIVE",
                "who": "writes" if weak else "reads and writes",
                "name": readable_ident(action.constraint),
            },
        )


def _added(context: Context, table: str, name: str) -> Constraint | None:
    for other in (context, *context.same_transaction(AddConstraint)):
        for add in other.actions(AddConstraint):
            if add.constraint.name == name and other.table(add.table).name == table and add.constraint.not_valid:
                return add.constraint
    return None
