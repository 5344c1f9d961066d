"""ATTACH … DEFAULT reads every row unless valid CHECKs exclude the bounds of all partitions."""

from __future__ import annotations

from collections.abc import Iterator

from partadvisor.lint.context import Context, Hit
from partadvisor.lint.exclusion import excludes_bound, exclusion_text
from partadvisor.lint.tables import Table
from partadvisor.model.ddl import AttachPartition
from partadvisor.model.ddl_parts import PartitionBy
from partadvisor.pg.readable import readable_ident

WANTS = (AttachPartition,)


def check(context: Context) -> Iterator[Hit]:
    """Flag each filled table attached as DEFAULT beside partitions that nothing excludes."""
    for attach in context.actions(AttachPartition):
        partition, parent = context.table(attach.partition), context.table(attach.table)
        if partition.empty or attach.bound.strategy != "default":
            continue
        others = [p for p in context.scope.partitions_of(attach.table) if p.bound is not None]
        open_ones = [p for p in others if p.bound and excludes_bound(partition, parent.partition_by, p.bound) is False]
        if not open_ones:
            continue
        yield Hit(
            at=attach.span,
            about=(partition,),
            scanned=partition,
            values={
                "partition": context.sql(attach.partition),
                "others": ", ".join(context.sql(p.name) for p in open_ones[:3]) + (", …" if len(open_ones) > 3 else ""),
                "check": _check(open_ones, parent.partition_by),
                "constraint": readable_ident(f"{attach.partition.name}_default"),
                "statement": context.facts.text,
            },
        )


def _check(others: list[Table], key: PartitionBy | None) -> str:
    return " AND ".join(f"({exclusion_text(p.bound, key)})" for p in others if p.bound)
