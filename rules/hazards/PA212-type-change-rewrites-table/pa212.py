"""ALTER COLUMN … TYPE that rewrites the table."""

from __future__ import annotations

from collections.abc import Iterator

from partadvisor.lint.context import Context, Hit
from partadvisor.lint.tables import ColumnState
from partadvisor.lint.type_change import rewrites, telling, type_text
from partadvisor.model.ddl import AlterColumnType
from partadvisor.pg.readable import readable_ident

WANTS = (AlterColumnType,)


def check(context: Context) -> Iterator[Hit]:
    """Flag each that the server will not take as a change of the catalog only."""
    for action in context.actions(AlterColumnType):
        table = context.table(action.table)
        column = table.columns.get(action.column)
        if table.empty or not _rewrites(context, action, column):
            continue
        yield Hit(
            at=action.span,
            about=(table,),
            scanned=table,
            confidence="high" if column and column.type else None,
            values={
                "table": context.sql(action.table),
                "column": readable_ident(action.column),
                "from": f"from {column.type} " if column and column.type else "",
                "type": type_text(action.type, action.type_modifiers),
                "new": readable_ident(f"{action.column}_new"),
                "old": readable_ident(f"{action.column}_old"),
            },
        )


def _rewrites(context: Context, action: AlterColumnType, column: ColumnState | None) -> bool:
    """Judged by both types; when the old one is not known, only new types that leave no doubt."""
    new = type_text(action.type, action.type_modifiers)
    cast = (action.using or "").partition("::")[0].strip().strip('"')
    if action.using is not None and cast != action.column:
        return True
    zone = context.session.settings.get("timezone")
    utc = zone is not None and zone.value.upper() in ("UTC", "GMT", "ETC/UTC")
    if column is not None and column.type:
        return rewrites(column.type, new, utc=utc)
    return telling(new) and not (utc and new.startswith("timestamp"))
