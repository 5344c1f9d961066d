"""ATTACH PARTITION checks each foreign key of the parent that the table has not validated itself."""

from __future__ import annotations

from collections.abc import Iterator

from partadvisor.lint.context import Context, Hit
from partadvisor.lint.tables import ConstraintState, Table
from partadvisor.model.ddl import AttachPartition
from partadvisor.pg.readable import readable_ident

WANTS = (AttachPartition,)


def check(context: Context) -> Iterator[Hit]:
    """Flag each foreign key that ATTACH has to check."""
    for attach in context.actions(AttachPartition):
        parent, partition = context.table(attach.table), context.table(attach.partition)
        if partition.empty:
            continue
        for key in parent.of_kind("foreign_key"):
            if key.references is None or _has_match(partition, key):
                continue
            target = ", ".join(map(readable_ident, key.referenced_columns))
            yield Hit(
                at=attach.span,
                about=(partition,),
                scanned=partition,
                values={
                    "partition": context.sql(attach.partition),
                    "referenced": context.sql(key.references),
                    "columns": ", ".join(map(readable_ident, key.columns)),
                    "target": f" ({target})" if target else "",
                    "constraint": readable_ident(f"{attach.partition.name}_{key.columns[0]}_fkey"),
                    "statement": context.facts.text,
                },
            )


def _has_match(partition: Table, key: ConstraintState) -> bool:
    mine = ((k.columns, k.references) for k in partition.of_kind("foreign_key") if k.validated and k.enforced)
    return (key.columns, key.references) in mine
