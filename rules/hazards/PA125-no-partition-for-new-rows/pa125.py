"""A partitioned table that the script leaves without a partition."""

from __future__ import annotations

from collections.abc import Iterator

from partadvisor.lint.context import Context, Hit, ScriptContext
from partadvisor.model.ddl import CreateTable, DoBlock


def check_script(script: ScriptContext) -> Iterator[Hit]:
    """Flag each, unless something in the script may make partitions where we cannot look."""
    if any(_may_make_partitions(c) for c in script.statements):
        return
    for context in script.statements:
        for create in context.actions(CreateTable):
            name = context.scope.resolve(create.table, "new")
            table = script.final.tables.get(name)
            if create.partition_by is None or table is None or table.partitions or table.created != context.position:
                continue
            yield Hit(at=create.span, values={"table": context.sql(create.table)})


def _may_make_partitions(context: Context) -> bool:
    """A call of an extension's or the user's function that is about partitions, or SQL put together at run time."""
    called = any("part" in f or f == "create_parent" for f in context.facts.functions)
    return called or any("partition" in b.body.lower() for b in context.actions(DoBlock))
