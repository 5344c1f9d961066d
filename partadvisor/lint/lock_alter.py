"""Which forms of ``rules/locks/`` the commands of ALTER TABLE are."""

from __future__ import annotations

import re
from collections.abc import Iterator

from partadvisor.lint.lock_partition import attach_uses, detach_use
from partadvisor.lint.lock_use import Use, use
from partadvisor.lint.proofs import proves_not_null
from partadvisor.lint.scope import Scope
from partadvisor.lint.tables import ConstraintState, Table
from partadvisor.lint.type_change import rewrites, type_text
from partadvisor.model import ddl
from partadvisor.model.ddl_parts import Column, Constraint

_NEXTVAL = re.compile(r"(?i)\bnextval\s*\(\s*'([^']+)'")

_COLUMN = {
    "drop not null": "drop_not_null",
    "drop default": "drop_default",
    "add identity": "add_identity",
    "set identity": "set_identity",
    "drop identity": "drop_identity",
    "drop expression": "drop_expression",
    "set statistics": "set_statistics",
    "set storage": "set_storage",
    "set compression": "set_compression",
    "set options": "set_column_options",
    "reset options": "reset_column_options",
}
_TABLE = {
    "set options": "set_options",
    "reset options": "reset_options",
    "set logged": "set_logged_rewrite",
    "set unlogged": "set_logged_rewrite",
    "enable row security": "enable_row_security",
    "disable row security": "enable_row_security",
    "force row security": "enable_row_security",
    "no force row security": "enable_row_security",
    "set without cluster": "set_without_cluster",
    "enable trigger": "enable_trigger",
    "disable trigger": "enable_trigger",
    "enable rule": "enable_rule",
    "disable rule": "enable_rule",
    "of type": "of_type",
    "not of": "not_of",
}
_SPREAD = "add_check_not_valid"
"""ACCESS EXCLUSIVE on the table and all below it, for the commands that have no form of their own."""


def alter_uses(action: ddl.AlterTable, scope: Scope) -> Iterator[Use]:
    """The forms of one command."""
    table = scope.table(action.table)
    match action:
        case ddl.AttachPartition():
            yield from attach_uses(action, scope)
        case ddl.DetachPartition():
            yield detach_use(action, scope)
        case ddl.AddColumn():
            yield from _add_column(action, scope)
        case ddl.DropColumn():
            yield from _drop_column(action, table, scope)
        case ddl.AlterColumnType():
            yield use(_type_form(action, table), scope, target=action.table)
        case ddl.AlterColumn():
            yield _column(action, table, scope)
        case ddl.AddConstraint():
            yield from _add_constraint(action, table, scope)
        case ddl.ValidateConstraint():
            yield _constraint("validate", table.constraints.get(action.constraint), table, scope)
        case ddl.DropConstraint():
            yield _constraint("drop", table.constraints.get(action.constraint), table, scope)
        case ddl.AlterTableOther():
            yield _other(action, table, scope)
        case _:
            yield use(_SPREAD, scope, target=action.table)


def _add_column(action: ddl.AddColumn, scope: Scope) -> Iterator[Use]:
    column = action.column
    yield use(_column_form(column), scope, target=action.table)
    for constraint in column.constraints:
        if constraint.references is not None:
            yield use("add_column_references", scope, target=action.table, referenced=constraint.references)
        elif constraint.kind in ("unique", "primary_key"):
            yield use("add_column_unique", scope, target=action.table)
        elif constraint.kind == "check":
            yield use("add_column_check", scope, target=action.table)


def _column_form(column: Column) -> str:
    if column.generated == "virtual":
        return "add_column_virtual"
    computed = column.serial or column.identity or column.generated == "stored"
    return "add_column_rewrite" if computed or column.default_volatility in ("volatile", "unknown") else "add_column"


def _drop_column(action: ddl.DropColumn, table: Table, scope: Scope) -> Iterator[Use]:
    yield use("drop_column_cascade" if action.cascade else "drop_column", scope, target=action.table)
    if any(action.column in i.columns for i in table.indexes.values()):
        yield use("drop_column_indexed", scope, target=action.table)
    if any(action.column in c.columns for c in table.of_kind("foreign_key")):
        yield use("drop_column_foreign_key", scope, target=action.table)
    column = table.columns.get(action.column)
    if column is not None and column.sequence:
        yield use("drop_column_sequence", scope, target=action.table, sequence=column.sequence)


def _type_form(action: ddl.AlterColumnType, table: Table) -> str:
    column = table.columns.get(action.column)
    free = (
        column is not None and column.type and not rewrites(column.type, type_text(action.type, action.type_modifiers))
    )
    if any(action.column in c.columns for c in table.of_kind("foreign_key")):
        return "alter_type_foreign_key"
    indexed = any(action.column in i.columns for i in table.indexes.values())
    name = "alter_type" if free and action.using is None else "alter_type_rewrite"
    return f"{name}_indexed" if indexed else name


def _column(action: ddl.AlterColumn, table: Table, scope: Scope) -> Use:
    if action.what == "set not null":
        proven = proves_not_null(table, action.column) is True
        return use("set_not_null_proven" if proven else "set_not_null", scope, target=action.table)
    if action.what == "set default":
        named = _NEXTVAL.search(action.value or "")
        if named is None:
            return use("set_default", scope, target=action.table)
        return use("set_default_nextval", scope, target=action.table, sequence=named[1])
    if action.what == "set expression":
        column = table.columns.get(action.column)
        virtual = column is not None and column.generated == "virtual"
        return use("set_expression_virtual" if virtual else "set_expression_rewrite", scope, target=action.table)
    return use(_COLUMN[action.what], scope, target=action.table)


def _add_constraint(action: ddl.AddConstraint, table: Table, scope: Scope) -> Iterator[Use]:
    constraint = action.constraint
    suffix = "" if constraint.enforced else "_not_enforced"
    suffix = "_not_valid" if constraint.not_valid and constraint.enforced else suffix
    match constraint.kind:
        case "foreign_key":
            yield use(f"add_foreign_key{suffix}", scope, target=action.table, referenced=constraint.references)
        case "check":
            yield use(f"add_check{suffix}", scope, target=action.table)
        case "not_null":
            yield use(f"add_not_null{suffix.replace('_not_enforced', '')}", scope, target=action.table)
        case "exclusion":
            yield use("add_exclusion", scope, target=action.table)
        case _:
            yield _key(action, constraint, table, scope)


def _key(action: ddl.AddConstraint, constraint: Constraint, table: Table, scope: Scope) -> Use:
    form = f"add_{constraint.kind}"
    if constraint.using_index is not None:
        index = f"{table.name.rpartition('.')[0]}.{constraint.using_index}"
        return use(f"{form}_using_index", scope, target=action.table, index=index)
    if table.partitioned and constraint.kind == "primary_key" and action.only:
        return use("add_primary_key_only", scope, target=action.table)
    if table.partitioned:
        return use(f"{form}_partitioned", scope, target=action.table)
    nullable = [c for c in constraint.columns if c in table.columns and not table.columns[c].not_null]
    return use(f"{form}_nullable" if nullable and form == "add_primary_key" else form, scope, target=action.table)


def _constraint(what: str, constraint: ConstraintState | None, table: Table, scope: Scope) -> Use:
    """VALIDATE and DROP: the form depends on what kind of constraint has that name."""
    plain = "validate_check" if what == "validate" else "drop_constraint"
    match constraint:
        case ConstraintState(kind="foreign_key", references=str(other)):
            return use(f"{what}_foreign_key", scope, target=table.name, referenced=other)
        case ConstraintState(kind="not_null") if what == "validate":
            return use("validate_not_null", scope, target=table.name)
        case ConstraintState(kind="primary_key" | "unique" | "exclusion") if what == "drop":
            index = f"{table.name.rpartition('.')[0]}.{constraint.name}"
            return use("drop_key", scope, target=table.name, index=index)
    return use(plain, scope, target=table.name)


def _other(action: ddl.AlterTableOther, table: Table, scope: Scope) -> Use:
    kind = "_partitioned" if table.partitioned else ""
    index = f"{table.name.rpartition('.')[0]}.{action.names[0]}" if action.names else None
    match action.what:
        case "inherit" | "no inherit":
            return use(action.what.replace(" ", "_"), scope, target=action.table, inherited=action.parent)
        case "cluster on":
            return use("cluster_on", scope, target=action.table, index=index)
        case "replica identity" if action.names and action.names[0] not in ("full", "nothing", "default"):
            return use("replica_identity_using_index", scope, target=action.table, index=index)
        case "replica identity":
            return use("replica_identity", scope, target=action.table)
        case "set tablespace" | "set access method":
            return use(f"{action.what.replace(' ', '_')}{kind}", scope, target=action.table)
        case "owner":
            return use("owner_sequence" if table.owned_sequences else "owner", scope, target=action.table)
        case "alter constraint":
            references = [c.references for c in table.of_kind("foreign_key") if c.name in action.names]
            return use("alter_foreign_key", scope, target=action.table, referenced=next(iter(references), None))
    options = {name for name, _ in action.options}
    if any(name.startswith("toast.") for name in options):
        return use("set_options_toast", scope, target=action.table)
    if "user_catalog_table" in options:
        return use("set_options_user_catalog", scope, target=action.table)
    return use(_TABLE.get(action.what, _SPREAD), scope, target=action.table)
