"""A partition key that may be NULL."""

from __future__ import annotations

from collections.abc import Iterator

from partadvisor.lint.context import Context, Hit, ScriptContext
from partadvisor.lint.tables import Table
from partadvisor.model.ddl import CreateTable
from partadvisor.pg.readable import readable_ident


def check_script(script: ScriptContext) -> Iterator[Hit]:
    """Judge tables as they are at the end; those without partitions have a rule of their own."""
    for context in script.statements:
        for create in context.actions(CreateTable):
            key = create.partition_by
            if key is None or key.strategy == "hash" or create.partition_of is not None:
                continue
            table = script.final.table(context.scope.resolve(create.table, "new"))
            column = next((c for c in key.columns if c and _nullable(table, c)), None)
            if column is not None and table.partitions and not _takes_null(context, table):
                yield Hit(
                    at=create.span,
                    values={
                        "column": readable_ident(column),
                        "table": context.sql(create.table),
                        "why": "no range holds NULL" if key.strategy == "range" else "no list names it",
                    },
                )


def _nullable(table: Table, name: str) -> bool:
    column, key = table.columns.get(name), table.primary_key
    listed = any(c.columns == (name,) for c in table.of_kind("not_null"))
    return column is not None and not column.not_null and not listed and not (key and name in key.columns)


def _takes_null(context: Context, table: Table) -> bool:
    if table.default_partition is not None:
        return True
    bounds = (context.script.final.table(p).bound for p in table.partitions)
    return any(b is not None and None in b.values for b in bounds)
