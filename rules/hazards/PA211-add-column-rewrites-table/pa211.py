"""ADD COLUMN that rewrites the table."""

from __future__ import annotations

from collections.abc import Iterator

from partadvisor.lint.context import Context, Hit
from partadvisor.model.ddl import AddColumn
from partadvisor.model.ddl_parts import Column
from partadvisor.pg.readable import readable_ident

WANTS = (AddColumn,)


def check(context: Context) -> Iterator[Hit]:
    """Flag each; for a function that is not built in it is only a guess."""
    for action in context.actions(AddColumn):
        table, why = context.table(action.table), _why(action.column)
        if not why or table.empty:
            continue
        unknown = action.column.default_volatility == "unknown"
        yield Hit(
            at=action.column.span,
            about=(table,),
            scanned=table,
            severity="warning" if unknown else None,
            confidence="low" if unknown else "high" if table.known else None,
            values={
                "column": readable_ident(action.column.name),
                "table": context.sql(action.table),
                "why": why,
                "how": "Make it a plain column that a trigger or the application fills, and backfill in batches."
                if action.column.generated
                else "Add it without the default, set the default afterwards, and fill old rows in batches.",
                "recipe": _recipe(context.sql(action.table), action.column),
            },
        )


def _why(column: Column) -> str:
    if column.generated == "stored":
        return "a STORED generated value has to be computed for each row"
    if column.identity or column.serial:
        return "each row gets a number of its own"
    if column.default_volatility == "volatile":
        return f"{column.default} gives each row a value of its own"
    return f"{column.default} may be volatile" if column.default_volatility == "unknown" else ""


def _recipe(table: str, column: Column) -> str:
    name = readable_ident(column.name)
    size = f"({', '.join(column.type_modifiers)})" if column.type_modifiers else ""
    lines = [f"ALTER TABLE {table} ADD COLUMN {name} {column.type}{size};"]
    if column.default and not column.generated:
        lines.append(f"ALTER TABLE {table} ALTER COLUMN {name} SET DEFAULT {column.default};")
    lines.append(f"-- then fill {name} of the old rows in batches, each in a transaction of its own")
    return "\n".join(lines)
