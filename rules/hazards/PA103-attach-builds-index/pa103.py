"""ATTACH PARTITION builds every index of the parent that the table does not have."""

from __future__ import annotations

from collections.abc import Iterator

from partadvisor.lint.context import Context, Hit
from partadvisor.lint.partition_index import shape_text
from partadvisor.lint.tables import IndexState, Table
from partadvisor.model.ddl import AttachPartition
from partadvisor.model.ddl_parts import Name
from partadvisor.pg.readable import readable_ident

WANTS = (AttachPartition,)


def check(context: Context) -> Iterator[Hit]:
    """Flag each ATTACH that has indexes to build."""
    for attach in context.actions(AttachPartition):
        parent, partition = context.table(attach.table), context.table(attach.partition)
        if partition.empty or not partition.known or partition.partitioned:
            continue
        missing = [i for i in parent.indexes.values() if i.valid and not _has_match(partition, parent, i)]
        if not missing:
            continue
        yield Hit(
            at=attach.span,
            about=(partition,),
            scanned=partition,
            values={
                "partition": context.sql(attach.partition),
                "missing": ", ".join(f"a match for {readable_ident(i.name)}" for i in missing),
                "builds": "\n".join(_build(context, attach.partition, parent, i) for i in missing),
                "statement": context.facts.text,
            },
        )


def _has_match(partition: Table, parent: Table, index: IndexState) -> bool:
    return any(_shape(i, partition) == _shape(index, parent) for i in partition.indexes.values() if i.valid)


def _shape(index: IndexState, table: Table) -> tuple[object, ...]:
    return (index.columns, index.included, index.unique, index.method, bool(index.where), _constraint(index, table))


def _constraint(index: IndexState, table: Table) -> str:
    found = table.constraints.get(index.name)
    return found.kind if index.constraint and found else ""


def _build(context: Context, partition: Name, parent: Table, index: IndexState) -> str:
    """SQL that builds a match, as a constraint where the parent's is one."""
    kind = {"primary_key": "PRIMARY KEY", "unique": "UNIQUE"}.get(_constraint(index, parent))
    columns = "_".join(c or "expr" for c in index.columns)
    end = {"PRIMARY KEY": "pkey", "UNIQUE": f"{columns}_key", None: f"{columns}_idx"}[kind]
    table, name = context.sql(partition), readable_ident(f"{partition.name}_{end}"[:63])
    sql = f"CREATE {'UNIQUE ' if index.unique else ''}INDEX CONCURRENTLY {name} ON {table} {shape_text(index)};"
    return sql if kind is None else f"{sql}\nALTER TABLE {table} ADD {kind} USING INDEX {name};"
