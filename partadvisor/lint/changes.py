"""What a statement leaves behind: the tables after an action, from those before. Pure bookkeeping, no judgement."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from partadvisor.lint.definitions import (
    column_state,
    constraint_state,
    default_constraint_name,
    default_index_name,
    own_constraints,
)
from partadvisor.lint.partition_index import lacks
from partadvisor.lint.proofs import bound_check
from partadvisor.lint.removals import REMOVALS
from partadvisor.lint.scope import Scope, Tables
from partadvisor.lint.tables import ColumnState, ConstraintState, IndexState, Table
from partadvisor.model import ddl
from partadvisor.model.ddl_parts import CheckExpression, Name


def after(actions: tuple[ddl.Action, ...], scope: Scope, position: int) -> Tables:
    """The tables after all actions of one statement."""
    for action in actions:
        change = _CHANGES.get(type(action))
        if change is not None:
            scope = Scope(change(action, scope, position), scope.search_path)
    return scope.tables


def _create(action: ddl.CreateTable, scope: Scope, position: int) -> Tables:
    temporary = action.persistence == "temporary"
    name = f"pg_temp.{action.table.name}" if temporary else scope.resolve(action.table, "new")
    if scope.tables.get(name) is not None:  # IF NOT EXISTS does nothing, and without it the server refuses
        return scope.tables
    parent = scope.table(action.partition_of) if action.partition_of else None
    sources = [scope.table(n) for n in (*action.like, *action.inherits)] + ([parent] if parent else [])
    columns = {c.name: c for s in sources for c in s.columns.values()}
    if action.like:
        columns = {n: _copied_column(c, action.like_options) for n, c in columns.items()}
    columns |= {c.name: column_state(c) for c in action.columns}
    owned = {c.name: f"{name}_{c.name}_seq" for c in action.columns if c.serial}
    columns |= {c: replace(columns[c], default=f"nextval('{s.rpartition('.')[2]}')") for c, s in owned.items()}
    table = Table(
        name=name,
        kind="partitioned table" if action.partition_by else "table",
        known=not action.from_query and all(s.known for s in sources),
        created=position,
        live=parent is not None and parent.live and not temporary,
        filled=action.from_query,
        temporary=temporary,
        columns=columns,
        partition_by=action.partition_by,
        parent=parent.name if parent else None,
        bound=action.bound,
        inherits=tuple(scope.resolve(n) for n in action.inherits),
        owned_sequences=tuple(owned.values()),
        rows=None,
    )
    tables = scope.tables.with_table(_with_copied(table, action, scope))
    for constraint in own_constraints(action.columns, action.constraints):
        tables = _add_constraint(name, constraint, Scope(tables, scope.search_path), position)
    return _joined(tables, parent, name, default=action.bound is not None and action.bound.strategy == "default")


def _copied_column(column: ColumnState, options: tuple[str, ...]) -> ColumnState:
    """A column as LIKE copies it: identity, default and generation only where it is told to."""
    return replace(
        column,
        default=column.default if "defaults" in options else None,
        identity=column.identity if "identity" in options else "",
        generated=column.generated if "generated" in options else "",
    )


def _with_copied(table: Table, action: ddl.CreateTable, scope: Scope) -> Table:
    """Constraints and indexes that come from the parent or by LIKE."""
    constraints: dict[str, Any] = {}
    parents = [scope.table(n) for n in ((action.partition_of,) if action.partition_of else action.inherits)]
    copies = [scope.table(n) for n in action.like]
    for source in parents + (copies if "constraints" in action.like_options else []):
        kinds = ("check", "foreign_key", "not_null") if action.partition_of else ("check", "not_null")
        constraints |= {c.name: c for c in source.constraints.values() if c.kind in kinds}
    with_indexes = [p for p in parents if action.partition_of] + (copies if "indexes" in action.like_options else [])
    copied = replace(table, constraints=constraints)
    for source in with_indexes:
        for index in source.indexes.values():
            copied = _with_copied_index(copied, source, index)
    return copied


def _with_copied_index(table: Table, source: Table, index: IndexState) -> Table:
    """A copy under the name that the server gives it, and with its constraint."""
    constraint = source.constraints.get(index.name)
    if constraint is None:
        name = default_index_name(table, index.columns)
    else:
        name = default_constraint_name(table, constraint)
        table = replace(table, constraints={**table.constraints, name: replace(constraint, name=name)})
    return replace(table, indexes={**table.indexes, name: replace(index, name=name, table=table.name)})


def _joined(tables: Tables, parent: Table | None, name: str, *, default: bool) -> Tables:
    """``name`` as a partition of ``parent``."""
    if parent is None or _is_below(tables, parent.name, name):
        return tables
    known = tables.get(parent.name) or parent
    return tables.with_table(
        replace(
            known,
            kind="partitioned table",
            partitions=(*(p for p in known.partitions if p != name), name),
            default_partition=name if default else known.default_partition,
        )
    )


def _is_below(tables: Tables, name: str, top: str) -> bool:
    """Whether ``name`` is ``top`` or one of its descendants, which the server refuses to make its parent."""
    below = [top]
    for each in below:
        if each == name:
            return True
        table = tables.get(each)
        below += [p for p in (table.partitions if table else ()) if p not in below]
    return False


def _parted(tables: Tables, parent: Table, name: str) -> Tables:
    known = tables.get(parent.name) or parent
    default = None if known.default_partition == name else known.default_partition
    kept = tuple(p for p in known.partitions if p != name)
    return tables.with_table(replace(known, kind="partitioned table", partitions=kept, default_partition=default))


def _attach(action: ddl.AttachPartition, scope: Scope, _position: int) -> Tables:
    parent, partition = scope.table(action.table), scope.table(action.partition)
    joined = replace(partition, parent=parent.name, bound=action.bound, live=partition.live or parent.live)
    default = action.bound.strategy == "default"
    tables = _joined(scope.tables.with_table(joined), parent, partition.name, default=default)
    for index in parent.indexes.values():
        here = Scope(tables, scope.search_path)
        tables = _partition_index(index, here.table(partition.name), here)
    return tables


def _detach(action: ddl.DetachPartition, scope: Scope, _position: int) -> Tables:
    """A partition gives up the identity it had from its parent; detached concurrently it keeps its bound as a CHECK."""
    parent, partition = scope.table(action.table), scope.table(action.partition)
    columns = {n: replace(c, identity="") for n, c in partition.columns.items()}
    constraints = dict(partition.constraints)
    if action.concurrently:
        check = bound_check(partition.bound, parent.partition_by) or CheckExpression(text="", complete=False)
        name = f"{partition.name.rpartition('.')[2]}_bound"
        constraints[name] = ConstraintState(name=name, kind="check", check=check)
    alone = replace(partition, parent=None, bound=None, columns=columns, constraints=constraints)
    return _parted(scope.tables.with_table(alone), parent, partition.name)


def _made_of(parent: Table, scope: Scope, names: tuple[Name, ...], position: int) -> Tables:
    tables = scope.tables
    for name in names:
        own = scope.resolve(name, "new")
        made = Table(name=own, kind="table", created=position, live=parent.live, parent=parent.name)
        tables = _joined(tables.with_table(made), parent, made.name, default=False)
    return tables


def _split(action: ddl.SplitPartition, scope: Scope, position: int) -> Tables:
    parent, old = scope.table(action.table), scope.resolve(action.partition)
    tables = _parted(scope.tables.without(old), parent, old)
    return _made_of(parent, Scope(tables, scope.search_path), action.into, position)


def _merge(action: ddl.MergePartitions, scope: Scope, position: int) -> Tables:
    parent, tables = scope.table(action.table), scope.tables
    for name in action.partitions:
        tables = _parted(tables.without(scope.resolve(name)), parent, scope.resolve(name))
    return _made_of(parent, Scope(tables, scope.search_path), (action.into,), position)


def _edit(name: Name | str, scope: Scope, **fields: Any) -> Tables:
    return scope.tables.with_table(replace(scope.table(name), **fields))


def _add_column(action: ddl.AddColumn, scope: Scope, position: int) -> Tables:
    table = scope.table(action.table)
    if action.if_not_exists and action.column.name in table.columns:
        return scope.tables
    tables = _edit(action.table, scope, columns={**table.columns, action.column.name: column_state(action.column)})
    for constraint in own_constraints((action.column,), ()):
        tables = _add_constraint(table.name, constraint, Scope(tables, scope.search_path), position)
    return tables


def _drop_column(action: ddl.DropColumn, scope: Scope, _position: int) -> Tables:
    table, gone = scope.table(action.table), action.column
    return _edit(
        action.table,
        scope,
        columns={n: c for n, c in table.columns.items() if n != gone},
        constraints={n: c for n, c in table.constraints.items() if gone not in c.columns},
        indexes={n: i for n, i in table.indexes.items() if gone not in i.columns},
    )


def _column_type(action: ddl.AlterColumnType, scope: Scope, _position: int) -> Tables:
    return _edit_column(action.table, action.column, scope, type=action.type)


def _edit_column(name: Name, column: str, scope: Scope, **fields: Any) -> Tables:
    table = scope.table(name)
    known = table.columns.get(column) or ColumnState(name=column)
    return _edit(name, scope, columns={**table.columns, column: replace(known, **fields)})


def _column(action: ddl.AlterColumn, scope: Scope, _position: int) -> Tables:
    fields: dict[str, dict[str, Any]] = {
        "set not null": {"not_null": True},
        "drop not null": {"not_null": False},
        "set default": {"default": action.value or ""},
        "drop default": {"default": None},
        "add identity": {"identity": "always", "not_null": True},
        "drop identity": {"identity": ""},
        "drop expression": {"generated": ""},
    }
    change = fields.get(action.what)
    return scope.tables if change is None else _edit_column(action.table, action.column, scope, **change)


def _constraint(action: ddl.AddConstraint, scope: Scope, position: int) -> Tables:
    return _add_constraint(scope.resolve(action.table), action.constraint, scope, position)


def _add_constraint(name: str, constraint: Any, scope: Scope, position: int) -> Tables:
    table = scope.table(name)
    state = constraint_state(table, constraint, scope, position)
    columns = dict(table.columns)
    if state.kind == "primary_key" or (state.kind == "not_null" and state.validated):
        columns |= {c: replace(columns[c], not_null=True) for c in state.columns if c in columns}
    indexes = dict(table.indexes)
    if state.kind in ("primary_key", "unique") and constraint.using_index is None:
        made = IndexState(name=state.name, table=name, columns=state.columns, unique=True, constraint=True)
        indexes[state.name] = replace(made, created=position)
    elif constraint.using_index in indexes:
        used = indexes.pop(constraint.using_index)
        state = replace(state, columns=tuple(c for c in used.columns if c is not None))
        indexes[state.name] = replace(used, name=state.name, constraint=True)
    tables = _edit(name, scope, constraints={**table.constraints, state.name: state}, columns=columns, indexes=indexes)
    if state.references is None:
        return tables
    other = Scope(tables, scope.search_path).table(state.references)
    referenced_by = tuple(dict.fromkeys((*other.referenced_by, name)))
    return tables.with_table(replace(other, referenced_by=referenced_by))


def _validate(action: ddl.ValidateConstraint, scope: Scope, _position: int) -> Tables:
    table = scope.table(action.table)
    known = table.constraints.get(action.constraint)
    if known is None:
        return scope.tables
    return _edit(action.table, scope, constraints={**table.constraints, known.name: replace(known, validated=True)})


def _drop_constraint(action: ddl.DropConstraint, scope: Scope, _position: int) -> Tables:
    table = scope.table(action.table)
    gone = table.constraints.get(action.constraint)
    tables = _edit(
        action.table,
        scope,
        constraints={n: c for n, c in table.constraints.items() if n != action.constraint},
        indexes={n: i for n, i in table.indexes.items() if n != action.constraint},
    )
    if gone is None:
        return tables
    if gone.references is not None:
        return _unreferenced(tables, gone.references, table.name)
    if action.cascade and gone.kind in ("primary_key", "unique"):
        for name in table.referenced_by:
            other = Scope(tables, scope.search_path).table(name)
            kept = {n: c for n, c in other.constraints.items() if not _needs(c, table.name, gone)}
            tables = _unreferenced(tables.with_table(replace(other, constraints=kept)), table.name, name)
    return tables


def _needs(constraint: ConstraintState, table: str, key: ConstraintState) -> bool:
    """Whether a foreign key depends on that key."""
    return constraint.references == table and set(constraint.referenced_columns) == set(key.columns)


def _unreferenced(tables: Tables, referenced: str, by: str) -> Tables:
    """``by`` is taken out of the referencing tables when it has no other foreign key to ``referenced``."""
    table, other = tables.get(referenced), tables.get(by)
    if table is None or (other and any(c.references == referenced for c in other.constraints.values())):
        return tables
    return tables.with_table(replace(table, referenced_by=tuple(n for n in table.referenced_by if n != by)))


def _other(action: ddl.AlterTableOther, scope: Scope, _position: int) -> Tables:
    table = scope.table(action.table)
    match action.what:
        case "enable row security" | "disable row security":
            return _edit(action.table, scope, row_security=action.what.startswith("enable"))
        case "replica identity":
            return _edit(action.table, scope, replica_identity=(action.names or ("default",))[0])
        case "inherit" | "no inherit" if action.parent is not None:
            parent = scope.resolve(action.parent)
            others = tuple(p for p in table.inherits if p != parent)
            return _edit(action.table, scope, inherits=(*others, parent) if action.what == "inherit" else others)
    return scope.tables


def _index(action: ddl.CreateIndex, scope: Scope, position: int) -> Tables:
    table = scope.table(action.table)
    name = action.index or default_index_name(table, action.parts)
    if action.if_not_exists and name in table.indexes:
        return scope.tables
    made = IndexState(
        name=name,
        table=table.name,
        columns=action.columns,
        included=action.included,
        unique=action.unique,
        valid=not action.only,
        where=action.where,
        method=action.method,
        concurrently=action.concurrently,
        created=position,
    )
    tables = _edit(action.table, scope, indexes={**table.indexes, name: made})
    for partition in () if action.only else scope.partitions_of(action.table):
        tables = _partition_index(replace(made, valid=True), partition, Scope(tables, scope.search_path))
    return tables


def _partition_index(parent: IndexState, partition: Table, scope: Scope) -> Tables:
    """A partition's own part of an index of its parent, unless it has one like it; and of its partitions too."""
    if not lacks(partition, parent):
        return scope.tables
    name = default_index_name(partition, parent.columns)
    made = replace(parent, name=name, table=partition.name)
    tables = _edit(partition.name, scope, indexes={**partition.indexes, name: made})
    for below in scope.partitions_of(partition.name):
        tables = _partition_index(made, below, Scope(tables, scope.search_path))
    return tables


def _attach_index(action: ddl.AttachIndex, scope: Scope, _position: int) -> Tables:
    index = scope.index(action.parent)
    if index is None:
        return scope.tables
    table = scope.table(index.table)
    attached = (*index.attached, action.index.name)
    valid = index.valid or len(attached) >= len(table.partitions)
    changed = replace(index, attached=attached, valid=valid)
    return _edit(table.name, scope, indexes={**table.indexes, index.name: changed})


def _filled(action: Any, scope: Scope, _position: int) -> Tables:
    return _edit(action.table, scope, filled=True) if action.table is not None else scope.tables


def _trigger(action: ddl.CreateTrigger, scope: Scope, _position: int) -> Tables:
    table = scope.table(action.table)
    transition = (action.trigger,) if action.row and action.transition_tables else ()
    return _edit(
        action.table,
        scope,
        triggers=(*table.triggers, action.trigger),
        row_transition_triggers=(*table.row_transition_triggers, *transition),
    )


def _grant(action: ddl.Grant, scope: Scope, _position: int) -> Tables:
    tables = scope.tables
    for name in action.tables:
        table = Scope(tables, scope.search_path).table(name)
        tables = tables.with_table(replace(table, grants=() if action.revoke else (*table.grants, "granted")))
    return tables


_MEMBER = {"view": "views", "materialized view": "views", "policy": "policies", "publication": "publications",
           "sequence": "owned_sequences"}  # fmt: skip


def _made(action: ddl.CreateOther | ddl.AlterOther, scope: Scope, position: int) -> Tables:
    """Views, policies, publications and owned sequences belong to the tables they name."""
    tables = scope.tables
    field = _MEMBER.get(action.kind)
    if field is None or action.name is None:
        return tables
    own = action.name.name if field in ("policies", "publications") else scope.resolve(action.name, "new")
    if isinstance(action, ddl.CreateOther) and field in ("views", "owned_sequences"):
        kind: Any = action.kind
        tables = tables.with_table(Table(name=own, kind=kind, known=True, created=position, live=False))
    for name in action.tables:
        table = Scope(tables, scope.search_path).table(name)
        fields: dict[str, Any] = {field: _members(getattr(table, field), own, action)}
        tables = tables.with_table(replace(table, **fields))
    return tables


def _members(before: tuple[str, ...], own: str, action: ddl.CreateOther | ddl.AlterOther) -> tuple[str, ...]:
    others = tuple(m for m in before if m != own)
    leaves = isinstance(action, ddl.AlterOther) and action.kind == "publication" and "drop" in action.what
    return others if leaves else (*others, own)


Change = Callable[[Any, Scope, int], Tables]

_CHANGES: dict[type[ddl.Action], Change] = {
    ddl.CreateTable: _create,
    ddl.AttachPartition: _attach,
    ddl.DetachPartition: _detach,
    ddl.SplitPartition: _split,
    ddl.MergePartitions: _merge,
    ddl.AddColumn: _add_column,
    ddl.DropColumn: _drop_column,
    ddl.AlterColumnType: _column_type,
    ddl.AlterColumn: _column,
    ddl.AddConstraint: _constraint,
    ddl.ValidateConstraint: _validate,
    ddl.DropConstraint: _drop_constraint,
    ddl.AlterTableOther: _other,
    ddl.CreateIndex: _index,
    ddl.AttachIndex: _attach_index,
    ddl.Insert: _filled,
    ddl.Copy: _filled,
    ddl.Merge: _filled,
    ddl.CreateTrigger: _trigger,
    ddl.Grant: _grant,
    ddl.CreateOther: _made,
    ddl.AlterOther: _made,
    **REMOVALS,
}
