"""From definitions as statements write them to the state they make, with the names the server chooses."""

from __future__ import annotations

from collections.abc import Iterable

from partadvisor.lint.scope import Scope
from partadvisor.lint.tables import ColumnState, ConstraintState, Table
from partadvisor.lint.type_change import type_text
from partadvisor.model.ddl_parts import Column, Constraint
from partadvisor.pg.quote import fit_identifier


def column_state(column: Column) -> ColumnState:
    """A column that a statement defines."""
    return ColumnState(
        name=column.name,
        type=type_text(column.type, column.type_modifiers),
        not_null=column.not_null,
        default=column.default,
        identity=column.identity,
        generated=column.generated,
    )


def own_constraints(columns: Iterable[Column], constraints: Iterable[Constraint]) -> list[Constraint]:
    """All constraints of a definition, those written with a column first."""
    return [*(k for c in columns for k in c.constraints), *constraints]


def constraint_state(table: Table, constraint: Constraint, scope: Scope, position: int) -> ConstraintState:
    """A constraint under the name it was given, or the one the server makes up."""
    return ConstraintState(
        name=constraint.name or constraint.using_index or default_constraint_name(table, constraint),
        kind=constraint.kind,
        columns=constraint.columns,
        check=constraint.check,
        references=scope.resolve(constraint.references) if constraint.references else None,
        referenced_columns=constraint.referenced_columns or _key_columns(constraint, scope),
        validated=not constraint.not_valid,
        enforced=constraint.enforced,
        no_inherit=constraint.no_inherit,
        deferrable=constraint.deferrable,
        created=position,
    )


def _key_columns(constraint: Constraint, scope: Scope) -> tuple[str, ...]:
    """REFERENCES without columns means the other table's primary key."""
    key = scope.table(constraint.references).primary_key if constraint.references else None
    return key.columns if key else ()


_SUFFIX = {"primary_key": "pkey", "unique": "key", "foreign_key": "fkey", "check": "check", "exclusion": "excl",
           "not_null": "not_null"}  # fmt: skip


def default_constraint_name(table: Table, constraint: Constraint | ConstraintState) -> str:
    """What the server calls it: ``table_pkey``, ``table_a_b_key`` and so on."""
    columns = constraint.columns
    if constraint.kind == "check" and len(columns) > 1:
        columns = ()
    middle = () if constraint.kind == "primary_key" else columns
    return _free(table, "_".join((table.name.rpartition(".")[2], *middle)), f"_{_SUFFIX[constraint.kind]}")


def default_index_name(table: Table, columns: Iterable[str | None]) -> str:
    """``table_a_b_idx``; an expression is called ``expr``."""
    return _free(table, "_".join((table.name.rpartition(".")[2], *(c or "expr" for c in columns))), "_idx")


def _free(table: Table, base: str, suffix: str) -> str:
    """The first of ``base_suffix``, ``base_suffix1``, … that the table does not have."""
    taken = {*table.constraints, *table.indexes}
    name, number = fit_identifier(base, suffix), 0
    while name in taken:
        number += 1
        name = fit_identifier(base, f"{suffix}{number}")
    return name
