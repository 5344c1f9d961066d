"""Bounds that overlap those of another partition are refused."""

from __future__ import annotations

from collections.abc import Iterator

from partadvisor.lint.context import Context, Hit
from partadvisor.lint.overlap import overlap
from partadvisor.model.ddl import AttachPartition, CreateTable
from partadvisor.model.ddl_parts import Bound, Name, Span

WANTS = (AttachPartition, CreateTable)


def check(context: Context) -> Iterator[Hit]:
    """Flag each new partition that certainly overlaps another."""
    for parent_name, name, bound, span in _added(context):
        parent = context.table(parent_name)
        for other in context.scope.partitions_of(parent_name):
            if other.name == context.scope.resolve(name) or other.bound is None:
                continue
            if overlap(bound, other.bound, parent):
                yield Hit(
                    at=span,
                    values={
                        "partition": context.sql(name),
                        "other": context.sql(other.name),
                        "bound": other.bound.text,
                    },
                )
                break


def _added(context: Context) -> Iterator[tuple[Name, Name, Bound, Span]]:
    for attach in context.actions(AttachPartition):
        yield attach.table, attach.partition, attach.bound, attach.span
    for create in context.actions(CreateTable):
        if create.partition_of is not None and create.bound is not None:
            yield create.partition_of, create.table, create.bound, create.span
