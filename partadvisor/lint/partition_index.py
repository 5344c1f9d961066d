"""The index of a partitioned table without a long lock: ON ONLY the parent, one on each partition, then the links."""

from __future__ import annotations

from partadvisor.lint.context import Context
from partadvisor.lint.scope import Scope
from partadvisor.lint.tables import IndexState, Table
from partadvisor.model.ddl import CreateIndex
from partadvisor.pg.readable import readable_ident


def lacking(scope: Scope, create: CreateIndex) -> list[Table]:
    """Partitions with rows for which CREATE INDEX on the parent has to build an index."""
    return [p for p in scope.partitions_of(create.table) if not p.empty and lacks(p, create)]


def lacks(partition: Table, create: CreateIndex | IndexState) -> bool:
    """Whether the partition has no valid index such as ``create``, of its parent."""
    wanted = (create.columns, create.included, create.unique, create.method)
    return not any(
        i.valid and (i.columns, i.included, i.unique, i.method) == wanted and bool(i.where) == bool(create.where)
        for i in partition.indexes.values()
    )


def recipe(context: Context, create: CreateIndex) -> str:
    """The whole way, as SQL."""
    partitions = context.scope.partitions_of(create.table)
    parent = f"CREATE {_unique(create)}INDEX {_name(create)} ON ONLY {context.sql(create.table)} {shape_text(create)};"
    return "\n".join(
        [
            parent,
            *(build_text(context, create, p) for p in partitions),
            *(attach_text(create, p) for p in partitions),
        ]
    )


def build_text(context: Context, create: CreateIndex, partition: Table) -> str:
    """The statement that builds one partition's index."""
    name, table = _partition_index(create, partition), context.sql(partition.name)
    return f"CREATE {_unique(create)}INDEX CONCURRENTLY {name} ON {table} {shape_text(create)};"


def attach_text(create: CreateIndex, partition: Table) -> str:
    """The statement that links it."""
    return f"ALTER INDEX {_name(create)} ATTACH PARTITION {_partition_index(create, partition)};"


def _name(create: CreateIndex) -> str:
    return readable_ident(create.index or f"{create.table.name}_idx")


def _partition_index(create: CreateIndex, partition: Table) -> str:
    return readable_ident(f"{partition.name.rpartition('.')[2]}_{create.index or 'idx'}"[:63])


def _unique(create: CreateIndex) -> str:
    return "UNIQUE " if create.unique else ""


def shape_text(create: CreateIndex | IndexState) -> str:
    """What follows the table in CREATE INDEX; an expression stays for the user to fill in."""
    method = "" if create.method == "btree" else f"USING {create.method} "
    columns = ", ".join("…" if c is None else readable_ident(c) for c in create.columns)
    included = f" INCLUDE ({', '.join(map(readable_ident, create.included))})" if create.included else ""
    return f"{method}({columns}){included}{f' WHERE {create.where}' if create.where else ''}"
