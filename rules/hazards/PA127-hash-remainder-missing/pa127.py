"""A hash-partitioned table left with remainders that no partition takes."""

from __future__ import annotations

from collections.abc import Iterator
from math import lcm

from partadvisor.lint.context import Context, Hit, ScriptContext
from partadvisor.lint.tables import Table
from partadvisor.model.ddl import AttachPartition, CreateTable, DetachPartition, DoBlock, Drop
from partadvisor.model.ddl_parts import Name, Span
from partadvisor.pg.readable import readable_ident

_MOST = 100_000


def check_script(script: ScriptContext) -> Iterator[Hit]:
    """Flag each at the last statement that changed its partitions."""
    if any(c.conditional or list(c.actions(DoBlock)) for c in script.statements):
        return
    touched: dict[str, tuple[Context, Span]] = {}
    for context in script.statements:
        for parent, span in _changes(context):
            touched[context.scope.resolve(parent)] = (context, span)
    for name, (context, span) in touched.items():
        table = script.final.tables.get(name)
        if table is not None and table.known and table.partitions:
            yield from _gap(context, span, table, list(script.final.partitions_of(name)))


def _changes(context: Context) -> Iterator[tuple[Name | str, Span]]:
    for change in context.actions(AttachPartition, DetachPartition):
        yield change.table, change.span
    for create in context.actions(CreateTable):
        if create.partition_of is not None:
            yield create.partition_of, create.span
    for drop in context.actions(Drop):
        parents = [context.table(n).parent for n in drop.names if drop.kind == "table"]
        yield from ((p, drop.span) for p in parents if p is not None)


def _gap(context: Context, at: Span, table: Table, partitions: list[Table]) -> Iterator[Hit]:
    bounds = [p.bound for p in partitions if p.bound is not None and p.bound.strategy == "hash" and p.bound.modulus]
    if len(bounds) != len(partitions):
        return
    modulus = lcm(*(b.modulus for b in bounds))
    if modulus > _MOST:
        return
    covered = {r for b in bounds for r in range(b.remainder, modulus, b.modulus)}
    missing = [r for r in range(modulus) if r not in covered]
    if missing:
        shown = ", ".join(map(str, missing[:5])) + (", …" if len(missing) > 5 else "")
        yield Hit(
            at=at,
            values={
                "table": context.sql(table.name),
                "missing": f"modulus {modulus}, remainder {shown}",
                "share": f"{100 * len(missing) / modulus:.0f} %",
                "modulus": str(modulus),
                "remainder": str(missing[0]),
                "partition": readable_ident(f"{table.name.rpartition('.')[2]}_{missing[0]}"),
            },
        )
