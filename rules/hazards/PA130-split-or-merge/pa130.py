"""SPLIT and MERGE PARTITIONS were taken out before release."""

from __future__ import annotations

from collections.abc import Iterator

from partadvisor.lint.context import Context, Hit
from partadvisor.model.ddl import MergePartitions, SplitPartition

WANTS = (MergePartitions, SplitPartition)


def check(context: Context) -> Iterator[Hit]:
    """Flag both."""
    for action in context.actions(MergePartitions, SplitPartition):
        what = "MERGE PARTITIONS" if isinstance(action, MergePartitions) else "SPLIT PARTITION"
        yield Hit(at=action.span, values={"what": what, "table": context.sql(action.table)})
