"""Plain DETACH PARTITION takes ACCESS EXCLUSIVE on the partitioned table."""

from __future__ import annotations

from collections.abc import Iterator

from partadvisor.lint.context import Context, Hit
from partadvisor.model.ddl import DetachPartition
from partadvisor.model.ddl_parts import Span
from partadvisor.model.finding import Edit, Fix

WANTS = (DetachPartition,)


def check(context: Context) -> Iterator[Hit]:
    """Flag each plain DETACH; where there is no other way it is only worth a note."""
    for detach in context.actions(DetachPartition):
        parent, partition = context.table(detach.table), context.table(detach.partition)
        if detach.concurrently or detach.finalize or partition.new:
            continue
        concurrent = parent.default_partition is None and context.versions.any(since=14)
        end = Span(start=detach.span.end, end=detach.span.end)
        fix = Fix(title="detach concurrently", edits=(Edit(span=end, text=" CONCURRENTLY"),), safe=False)
        yield Hit(
            at=detach.span,
            about=(parent,),
            values={"partition": context.sql(detach.partition), "parent": context.sql(detach.table)},
            confidence="high" if parent.known else None,
            severity=None if concurrent else "info",
            hint=None if concurrent else "CONCURRENTLY is not possible here: keep lock_timeout short and try again.",
            recipe=None if concurrent else "",
            fix=fix if concurrent and not context.in_transaction and context.versions.all(since=14) else None,
        )
