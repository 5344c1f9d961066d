"""What DROP, RENAME and SET SCHEMA leave behind: names change, and everything that points to them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import msgspec

from partadvisor.lint.scope import Scope, Tables
from partadvisor.lint.tables import Table
from partadvisor.model import ddl
from partadvisor.model.ddl_parts import CheckExpression

_RELATIONS = ("table", "view", "materialized view", "foreign table", "sequence")


def drop(action: ddl.Drop, scope: Scope, _position: int) -> Tables:
    """DROP."""
    tables = scope.tables
    for number, name in enumerate(action.names):
        here = Scope(tables, scope.search_path)
        if action.kind in _RELATIONS:
            tables = without(tables, here.resolve(name))
        elif action.kind == "index":
            tables = _without_index(here, name)
        elif action.kind in ("trigger", "policy"):
            table, part = here.table(name), action.parts[number]
            field = "triggers" if action.kind == "trigger" else "policies"
            fields: dict[str, Any] = {field: tuple(m for m in getattr(table, field) if m != part)}
            fields["row_transition_triggers"] = tuple(
                t for t in table.row_transition_triggers if t != part or field != "triggers"
            )
            tables = tables.with_table(replace(table, **fields))
    return tables


def without(tables: Tables, name: str) -> Tables:
    """Without a relation and its partitions, and without anything that points to them."""
    dropped = tables.get(name)
    for partition in dropped.partitions if dropped else ():
        if partition != name:
            tables = without(tables, partition)
    for table in _users(tables, name, "references", "partitions", "referenced_by", "views"):
        tables = tables.with_table(
            replace(
                table,
                constraints={n: c for n, c in table.constraints.items() if c.references != name},
                partitions=tuple(p for p in table.partitions if p != name),
                referenced_by=tuple(r for r in table.referenced_by if r != name),
                views=tuple(v for v in table.views if v != name),
                default_partition=None if table.default_partition == name else table.default_partition,
            )
        )
    return tables.without(name)


def _users(tables: Tables, name: str, *fields: str) -> list[Table]:
    """The tables that have the name in one of these fields."""
    users = dict.fromkeys(user for field in fields for user in tables.pointing(field, name))
    return [table for user in users if (table := tables.get(user)) is not None]


def _without_index(scope: Scope, name: Any) -> Tables:
    index = scope.index(name)
    if index is None:
        return scope.tables
    table = scope.table(index.table)
    kept = {n: i for n, i in table.indexes.items() if n != index.name}
    return scope.tables.with_table(replace(table, indexes=kept))


def rename(action: ddl.Rename, scope: Scope, _position: int) -> Tables:
    """ALTER … RENAME of a relation, index, column or constraint."""
    if action.table is None:
        return scope.tables
    if action.kind == "index":
        return _rename_index(scope, action)
    if action.kind in _RELATIONS:
        old = scope.resolve(action.table)
        return _moved(scope, old, f"{old.rpartition('.')[0]}.{action.new}")
    table = scope.table(action.table)
    if action.kind == "column":
        return scope.tables.with_table(_with_column(table, action.old, action.new))
    if action.kind == "constraint" and action.old in table.constraints:
        renamed = replace(table.constraints[action.old], name=action.new)
        others = {n: c for n, c in table.constraints.items() if n != action.old}
        return scope.tables.with_table(replace(table, constraints={**others, action.new: renamed}))
    return scope.tables


def _with_column(table: Table, old: str, new: str) -> Table:
    """A column under its new name, in keys and checks too."""

    def now(columns: Any) -> Any:
        return tuple(new if c == old else c for c in columns)

    columns = {(new if n == old else n): c for n, c in table.columns.items()}
    if new in columns:
        columns[new] = replace(columns[new], name=new)
    return replace(
        table,
        columns=columns,
        constraints={
            n: replace(c, columns=now(c.columns), check=_check_with(c.check, old, new))
            for n, c in table.constraints.items()
        },
        indexes={n: replace(i, columns=now(i.columns)) for n, i in table.indexes.items()},
    )


def _check_with(check: CheckExpression | None, old: str, new: str) -> CheckExpression | None:
    if check is None:
        return None
    parts = tuple(msgspec.structs.replace(p, column=new) if p.column == old else p for p in check.parts)
    return msgspec.structs.replace(check, parts=parts)


def _rename_index(scope: Scope, action: ddl.Rename) -> Tables:
    index = scope.index(action.table) if action.table else None
    if index is None:
        return scope.tables
    table = scope.table(index.table)
    indexes = {n: i for n, i in table.indexes.items() if n != index.name}
    constraints = {n: c for n, c in table.constraints.items() if n != index.name}
    if len(constraints) < len(table.constraints):  # its constraint goes by the same name
        constraints[action.new] = replace(table.constraints[index.name], name=action.new)
    renamed = replace(index, name=action.new)
    return scope.tables.with_table(replace(table, indexes={**indexes, action.new: renamed}, constraints=constraints))


def set_schema(action: ddl.SetSchema, scope: Scope, _position: int) -> Tables:
    """ALTER … SET SCHEMA."""
    if action.name is None or action.kind not in _RELATIONS:
        return scope.tables
    old = scope.resolve(action.name)
    return _moved(scope, old, f"{action.schema}.{old.rpartition('.')[2]}")


def _moved(scope: Scope, old: str, new: str) -> Tables:
    """A relation under another name. One that takes a name this script made free is in use from then on."""
    tables = scope.tables
    table = scope.table(old)
    live = table.live or (tables.dropped(new) and not table.temporary)
    if tables.get(new) is not None:  # the server refuses this
        return tables
    indexes = {n: replace(i, table=new) for n, i in table.indexes.items()}
    tables = tables.without(old).with_table(replace(table, name=new, live=live, indexes=indexes))
    pointing = ("references", "partitions", "referenced_by", "inherits", "views", "parent")
    for other in _users(tables, old, *pointing):
        changed = _repointed(other, old, new)
        if changed is not other:
            tables = tables.with_table(changed)
    return tables


def _repointed(table: Table, old: str, new: str) -> Table:
    def now(name: str | None) -> Any:
        return new if name == old else name

    references = {n: c for n, c in table.constraints.items() if c.references == old}
    many = (*table.partitions, *table.referenced_by, *table.inherits, *table.views)
    pointing = (table.parent, table.default_partition, *many)
    if not references and old not in pointing:
        return table
    return replace(
        table,
        parent=now(table.parent),
        default_partition=now(table.default_partition),
        partitions=tuple(now(p) for p in table.partitions),
        referenced_by=tuple(now(r) for r in table.referenced_by),
        inherits=tuple(now(i) for i in table.inherits),
        views=tuple(now(v) for v in table.views),
        constraints={**table.constraints, **{n: replace(c, references=new) for n, c in references.items()}},
    )


REMOVALS: dict[type[ddl.Action], Callable[[Any, Scope, int], Tables]] = {
    ddl.Drop: drop,
    ddl.Rename: rename,
    ddl.SetSchema: set_schema,
}
