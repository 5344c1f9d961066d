"""A new partition reads the DEFAULT partition unless a valid CHECK there excludes its bounds."""

from __future__ import annotations

from collections.abc import Iterator

from partadvisor.lint.context import Context, Hit
from partadvisor.lint.exclusion import excludes_bound, exclusion_text
from partadvisor.model.ddl import AttachPartition, CreateTable
from partadvisor.model.ddl_parts import Bound, Name, Span
from partadvisor.pg.readable import readable_ident

WANTS = (AttachPartition, CreateTable)


def check(context: Context) -> Iterator[Hit]:
    """Flag each new partition beside a filled DEFAULT partition."""
    for parent_name, partition, bound, span in _added(context):
        parent = context.table(parent_name)
        if parent.default_partition is None or bound.strategy in ("default", "hash"):
            continue
        default = context.table(parent.default_partition)
        if default.empty or excludes_bound(default, parent.partition_by, bound) is not False:
            continue
        yield Hit(
            at=span,
            about=(default,),
            scanned=default,
            values={
                "partition": context.sql(partition),
                "parent": context.sql(parent_name),
                "default": context.sql(default.name),
                "check": exclusion_text(bound, parent.partition_by),
                "constraint": readable_ident(f"not_{partition.name}"),
                "statement": context.facts.text,
            },
            confidence="high" if default.known else None,
        )


def _added(context: Context) -> Iterator[tuple[Name, Name, Bound, Span]]:
    for attach in context.actions(AttachPartition):
        yield attach.table, attach.partition, attach.bound, attach.span
    for create in context.actions(CreateTable):
        if create.partition_of is not None and create.bound is not None:
            yield create.partition_of, create.table, create.bound, create.span
