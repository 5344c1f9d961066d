"""ATTACH PARTITION reads every row unless a valid CHECK proves the bounds."""

from __future__ import annotations

from collections.abc import Iterator

from partadvisor.lint.context import Context, Hit
from partadvisor.lint.proofs import check_text, pending, proves_bound, without_not_null
from partadvisor.lint.tables import Table
from partadvisor.model.ddl import AttachPartition
from partadvisor.pg.readable import readable_ident

WANTS = (AttachPartition,)


def check(context: Context) -> Iterator[Hit]:
    """Flag each ATTACH of a filled table without a proof."""
    for attach in context.actions(AttachPartition):
        partition, parent = context.table(attach.partition), context.table(attach.table)
        if partition.empty or attach.bound.strategy == "default":
            continue
        proved = proves_bound(partition, parent.partition_by, attach.bound)
        if proved:
            continue
        name = context.sql(attach.partition)
        yield Hit(
            at=attach.span,
            about=(partition,),
            scanned=partition,
            severity="info" if proved is None and not partition.known else None,
            confidence="low" if proved is None else "high" if partition.known and parent.known else None,
            values={
                "partition": name,
                "mode": "ACCESS EXCLUSIVE",
                "why": _why(partition),
                "check": check_text(attach.bound, parent.partition_by).replace("the_parent", context.sql(attach.table)),
                "constraint": readable_ident(f"{attach.partition.name}_bounds"),
                "statement": context.facts.text,
            },
        )


def _why(partition: Table) -> str:
    checks = list(partition.of_kind("check"))
    if not partition.known and any(c.validated and c.check and c.check.complete for c in checks):
        return "its CHECK has to say IS NOT NULL, unless the column does"
    waiting = [c for c in pending(partition) if c.kind == "check"]
    if waiting:
        return f"CHECK {readable_ident(waiting[0].name)} is still NOT VALID"
    if any(c.check and without_not_null(c.check) for c in checks):
        return "its CHECK does not say IS NOT NULL or says other bounds"
    return "its CHECK does not imply the bounds" if checks else "no CHECK proves the bounds"
