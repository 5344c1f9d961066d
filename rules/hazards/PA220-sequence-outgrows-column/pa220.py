"""A sequence wider than the column it fills."""

from __future__ import annotations

from collections.abc import Iterator

from partadvisor.lint.context import Context, Hit
from partadvisor.lint.tables import ColumnState, Table
from partadvisor.model.ddl import AlterOther
from partadvisor.pg.readable import readable_ident, readable_name

WANTS = (AlterOther,)
_LIMITS = {"smallint": 2**15 - 1, "integer": 2**31 - 1}
_WIDER = ("bigint", "int8", "pg_catalog.int8")


def check(context: Context) -> Iterator[Hit]:
    """Flag what the column, as it is at the end of the file, cannot take."""
    for action in context.actions(AlterOther):
        if action.kind != "sequence" or action.name is None:
            continue
        options = dict(action.options)
        numbers = [
            int(options[o]) for o in ("restart", "start", "maxvalue") if options.get(o, "").lstrip("-").isdigit()
        ]
        found = _owner(context, context.scope.resolve(action.name))
        if found is None:
            continue
        table, column = found
        limit = _LIMITS.get(column.type, 2**63)
        if max(numbers, default=0) > limit or (options.get("as", "").lower() in _WIDER and column.type in _LIMITS):
            yield Hit(
                at=action.span,
                values={
                    "sequence": context.sql(action.name),
                    "column": f"{readable_name(table.name)}.{readable_ident(column.name)}",
                    "type": column.type,
                },
                message=None
                if column.type == "integer"
                else "{sequence} can go beyond 32767, but {column} is {type}: inserts fail from there on",
            )


def _owner(context: Context, sequence: str) -> tuple[Table, ColumnState] | None:
    """The table and column whose default reads the sequence."""
    short = sequence.rpartition(".")[2]
    for table in context.script.final.tables:
        for column in table.columns.values():
            owned = sequence in table.owned_sequences and short in (column.default or "")
            if owned or short == f"{table.name.rpartition('.')[2]}_{column.name}_seq":
                return table, column
    return None
