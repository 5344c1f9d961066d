"""Foreign keys of partitioned tables without a long lock, by what the versions allow."""

from __future__ import annotations

from partadvisor.lint.context import Context
from partadvisor.lint.tables import Table
from partadvisor.model.ddl import AddConstraint
from partadvisor.pg.readable import readable_ident


def has_key(partition: Table, columns: tuple[str, ...], referenced: str) -> bool:
    """Whether a partition has that foreign key already, checked."""
    keys = partition.of_kind("foreign_key")
    return any(k.validated and k.columns == columns and k.references == referenced for k in keys)


def recipe_not_valid(context: Context, action: AddConstraint) -> str:
    """18 and later: NOT VALID on the partitioned table, then VALIDATE."""
    return f"{_add(context, action.table.name, action, context.sql(action.table))}\n" + _validate(
        action, context.sql(action.table)
    )


def recipe_by_partition(context: Context, action: AddConstraint) -> str:
    """Before 18: each partition by itself; the partitioned table then takes the keys over."""
    tables = [context.sql(p.name) for p in context.scope.partitions_of(action.table)]
    lines = [_add(context, action.table.name, action, t) for t in tables]
    lines += [_validate(action, t) for t in tables]
    whole = _add(context, action.table.name, action, context.sql(action.table)).replace(" NOT VALID;", ";")
    return "\n".join([*lines, whole])


def _add(context: Context, parent: str, action: AddConstraint, table: str) -> str:
    key = action.constraint
    columns = ", ".join(map(readable_ident, key.columns))
    target = f" ({', '.join(map(readable_ident, key.referenced_columns))})" if key.referenced_columns else ""
    actions = "".join(
        f" ON {event} {what}"
        for event, what in (("DELETE", key.on_delete), ("UPDATE", key.on_update))
        if what != "NO ACTION"
    )
    referenced = context.sql(key.references) if key.references else "…"
    return (
        f"ALTER TABLE {table} ADD CONSTRAINT {_name(action, parent)} FOREIGN KEY ({columns})"
        f" REFERENCES {referenced}{target}{actions} NOT VALID;"
    )


def _validate(action: AddConstraint, table: str) -> str:
    return f"ALTER TABLE {table} VALIDATE CONSTRAINT {_name(action, action.table.name)};"


def _name(action: AddConstraint, parent: str) -> str:
    key = action.constraint
    return readable_ident(key.name or f"{parent}_{'_'.join(key.columns)}_fkey"[:63])
