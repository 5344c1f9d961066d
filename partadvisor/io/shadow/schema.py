"""Makes the relations of a snapshot in the scratch server, one of them as a candidate's partitioned table.

What this server cannot make (an index of an unknown access method, a function of the application in a CHECK) is left
out and noted: it must not cost the whole comparison.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import msgspec
import psycopg

from partadvisor.io.connect import Connection
from partadvisor.io.shadow.types import column_type, make_types, unknown_collations
from partadvisor.model.catalog import Column, Constraint, Index, Relation
from partadvisor.model.errors import UsageError
from partadvisor.pg.quote import quote_ident, quote_qualified
from partadvisor.planner.definitions import index_on
from partadvisor.planner.foreign_keys import qualified
from partadvisor.planner.partitions import Layout, Partition

_VIEWS = ("view", "materialized_view")
_NOT_VALID = " NOT VALID"


@dataclass
class Builder:
    """Makes relations on one connection and keeps notes of what could not be made."""

    connection: Connection
    notes: list[str] = field(default_factory=list)
    types: Mapping[str, str] = field(default_factory=dict)
    lacking: set[str] = field(default_factory=set)

    def build(self, relations: Sequence[Relation], layouts: Mapping[str, Layout]) -> None:
        """Makes all relations; ``layouts`` says which of them are partitioned otherwise than in the snapshot."""
        self._prepare(relations)
        for relation in _parents_first(relations):
            layout = layouts.get(relation.qualified_name)
            self._run(f"table {relation.qualified_name}", self._table(relation, layout))
            for part in layout.parts if layout else ():
                self._partition(part, relation, quote_qualified(relation.schema, relation.name))
        tables = [r for r in relations if r.kind not in ("view", "foreign_table") and r.parent is None]
        for relation in tables:
            for index in relation.indexes:
                self._index(relation, index)
        self._own_indexes_of_partitions(relations)
        names = {r.qualified_name for r in relations}
        for relation in tables:
            self._constraints(relation, names)
        self._views(relations)

    def _prepare(self, relations: Sequence[Relation]) -> None:
        for schema in sorted({r.schema for r in relations}):
            self.connection.execute(f"CREATE SCHEMA IF NOT EXISTS {quote_ident(schema)}".encode())
        for name in make_types(self.connection, relations):
            self.notes.append(f"type {name} is not in the snapshot: a text stands in for it")
        columns = [c for r in relations for c in r.columns]
        self.types = column_type(self.connection, columns)
        self.lacking = unknown_collations(self.connection, columns)

    def _run(self, what: str, statement: str) -> bool:
        try:
            self.connection.execute(statement.encode())
        except psycopg.Error as error:
            if self.connection.closed or self.connection.broken:
                raise
            self.notes.append(f"{what} could not be made: {error.diag.message_primary or error}")
            return False
        return True

    def _table(self, relation: Relation, layout: Layout | None) -> str:
        name = quote_qualified(relation.schema, relation.name)
        if relation.parent is not None:
            key = f" PARTITION BY {relation.partition_key.definition}" if relation.partition_key else ""
            return f"CREATE TABLE {name} PARTITION OF {qualified(relation.parent)} {relation.partition_bound}{key}"
        columns = ", ".join(self._column(c) for c in relation.columns)
        parents = ", ".join(qualified(p) for p in relation.inheritance_parents)
        inherits = f" INHERITS ({parents})" if parents and layout is None else ""
        own = relation.partition_key.definition if relation.partition_key else None
        by = layout.key if layout else own
        return f"CREATE TABLE {name} ({columns}){inherits}" + (f" PARTITION BY {by}" if by else "")

    def _column(self, column: Column) -> str:
        collation = f" COLLATE {column.collation}" if column.collation and column.collation not in self.lacking else ""
        required = " NOT NULL" if column.not_null else ""
        return f"{quote_ident(column.name)} {self.types[column.type]}{collation}{required}"

    def _partition(self, part: Partition, relation: Relation, parent: str) -> None:
        name = quote_qualified(relation.schema, part.name)
        key = f" PARTITION BY {part.key}" if part.key else ""
        # a candidate that cannot be made is not to be judged by the partitions that could
        self.connection.execute(f"CREATE TABLE {name} PARTITION OF {parent} {part.bound}{key}".encode())
        for child in part.parts:
            self._partition(child, relation, name)

    def _index(self, relation: Relation, index: Index) -> bool:
        table = quote_qualified(relation.schema, relation.name)
        constraint = next((c for c in relation.constraints if c.name == index.constraint), None)
        if not index.valid:
            return False
        if constraint is not None:
            statement = f"ALTER TABLE {table} ADD CONSTRAINT {quote_ident(constraint.name)} {constraint.definition}"
        else:
            try:
                statement = index_on(msgspec.structs.replace(index, tablespace=None), table)
            except UsageError as error:
                self.notes.append(f"index {index.name} could not be made: {error.message}")
                return False
        return self._run(f"index {index.name}", statement)

    def _own_indexes_of_partitions(self, relations: Sequence[Relation]) -> None:
        """Indexes that only a partition has; those of its parents came with them."""
        by_name = {r.qualified_name: r for r in relations}
        for relation in relations:
            parent = by_name.get(relation.parent or "")
            if parent is None or relation.partition_key is not None:
                continue
            inherited = [index_shape(i) for i in parent.indexes]
            for index in relation.indexes:
                if index_shape(index) in inherited:
                    inherited.remove(index_shape(index))
                else:
                    self._index(relation, index)

    def _constraints(self, relation: Relation, names: set[str]) -> None:
        table = quote_qualified(relation.schema, relation.name)
        for constraint in relation.constraints:
            if constraint.inherited or not _shapes_plans(constraint, names):
                continue
            definition = constraint.definition.removesuffix(_NOT_VALID) + _NOT_VALID
            self._run(
                f"constraint {constraint.name}",
                f"ALTER TABLE {table} ADD CONSTRAINT {quote_ident(constraint.name)} {definition}",
            )

    def _views(self, relations: Sequence[Relation]) -> None:
        """Views may read each other, so what fails is tried again as long as something else succeeded."""
        materialized = {r.qualified_name for r in relations if r.kind == "materialized_view"}
        waiting = {
            d.name: d.definition
            for r in relations
            for d in r.dependents
            if d.kind in _VIEWS and d.definition and d.name not in materialized
        }
        while waiting:
            notes = list(self.notes)
            made = [name for name, text in waiting.items() if self._view(name, text or "")]
            for name in made:
                del waiting[name]
            if not made:
                return
            self.notes = notes

    def _view(self, name: str, definition: str) -> bool:
        return self._run(f"view {name}", f"CREATE VIEW {qualified(name)} AS {definition.rstrip().rstrip(';')}")


def index_shape(index: Index) -> tuple[object, ...]:
    """What tells an index from the others of its table, apart from its name."""
    return index.method, index.columns, index.included, index.unique, index.predicate is not None


def _shapes_plans(constraint: Constraint, names: set[str]) -> bool:
    """Foreign keys within what is made here correct the estimates of joins; CHECKs with hidden values say nothing."""
    if constraint.kind == "foreign_key":
        return constraint.references in names
    return constraint.kind == "check" and "NULL" not in constraint.definition


def _parents_first(relations: Sequence[Relation]) -> Iterator[Relation]:
    waiting = [r for r in relations if r.kind != "view"]
    names = {r.qualified_name for r in waiting}
    done: set[str] = set()
    while waiting:
        ready = [r for r in waiting if not (_parents(r) & names) - done]
        yield from ready or waiting
        done |= {r.qualified_name for r in ready or waiting}
        waiting = [r for r in waiting if r.qualified_name not in done]


def _parents(relation: Relation) -> set[str]:
    return {p for p in (relation.parent, *relation.inheritance_parents) if p is not None}
