"""DROP CONSTRAINT of a key that foreign keys need."""

from __future__ import annotations

from collections.abc import Iterator

from partadvisor.lint.context import Context, Hit
from partadvisor.lint.tables import ConstraintState, Table
from partadvisor.model.ddl import DropConstraint
from partadvisor.pg.readable import readable_ident, readable_name

WANTS = (DropConstraint,)


def check(context: Context) -> Iterator[Hit]:
    """Flag a key with foreign keys on just its columns."""
    for action in context.actions(DropConstraint):
        table = context.table(action.table)
        key = table.constraints.get(action.constraint)
        if key is None or key.kind not in ("primary_key", "unique"):
            continue
        names = list(_foreign_keys(context, table, key))
        if not names:
            continue
        listed = ", ".join(names)
        yield Hit(
            at=action.span,
            values={
                "what": f"CASCADE drops the foreign keys that need {readable_ident(key.name)}: {listed}"
                if action.cascade
                else f"{readable_ident(key.name)} cannot be dropped: foreign keys need it: {listed}"
            },
        )


def _foreign_keys(context: Context, table: Table, key: ConstraintState) -> Iterator[str]:
    for name in table.referenced_by:
        for constraint in context.table(name).of_kind("foreign_key"):
            primary = table.primary_key.columns if table.primary_key else ()
            columns = constraint.referenced_columns or primary
            if constraint.references == table.name and set(columns) == set(key.columns):
                yield f"{readable_ident(constraint.name)} of {readable_name(name)}"
