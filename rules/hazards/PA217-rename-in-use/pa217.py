"""RENAME of a table or column in use."""

from __future__ import annotations

from collections.abc import Iterator

from partadvisor.lint.context import Context, Hit
from partadvisor.model.ddl import Action, AddColumn, CreateOther, CreateTable, DetachPartition, Rename, SetSchema
from partadvisor.model.ddl_parts import Name
from partadvisor.pg.readable import readable_ident

WANTS = (Rename,)


def check(context: Context) -> Iterator[Hit]:
    """Flag each whose old name stays empty. Partitions are seldom named by code."""
    for rename in context.actions(Rename):
        if rename.table is None or rename.kind not in ("table", "view", "materialized view", "column"):
            continue
        table = context.table(rename.table)
        if _takes_over(context, rename):
            continue
        if rename.kind == "column":
            if _column_comes_back(context, table.name, rename.old):
                continue
        elif table.parent or _was_detached(context, table.name) or _comes_back(context, rename.table):
            continue
        shown, part = context.sql(rename.table), rename.kind == "column"
        yield Hit(
            at=context.facts.span,
            about=(table,),
            values={
                "old": f"{shown}.{readable_ident(rename.old)}" if part else shown,
                "new": readable_ident(rename.new),
                "how": "Add a new column, keep both equal with a trigger, and drop the old one when nobody reads it."
                if part
                else f"Leave CREATE VIEW {shown} AS TABLE {readable_ident(rename.new)} behind, in one transaction.",
            },
        )


def _takes_over(context: Context, rename: Rename) -> bool:
    """Whether it moves into the place of what was renamed away: the second half of a swap."""
    earlier = (r for other in context.earlier(Rename) for r in other.actions(Rename))
    return any(r.old == rename.new and (r.kind == "column") == (rename.kind == "column") for r in earlier)


def _comes_back(context: Context, name: Name) -> bool:
    return any(_made(action) == name.name for other in context.later(*_MAKES) for action in other.facts.actions)


_MAKES = (Rename, SetSchema, CreateTable, CreateOther)


def _made(action: Action) -> str | None:
    """The name that an action gives to a table or view."""
    match action:
        case Rename(kind=kind, new=new) if kind != "column":
            return new
        case SetSchema(name=name) if name is not None:
            return name.name
        case CreateTable(table=table):
            return table.name
        case CreateOther(kind=kind, name=name) if "view" in kind and name is not None:
            return name.name
    return None


def _column_comes_back(context: Context, table: str, column: str) -> bool:
    return any(
        (isinstance(a, Rename) and a.kind == "column" and a.new == column)
        or (isinstance(a, AddColumn) and a.column.name == column and other.table(a.table).name == table)
        for other in context.later(Rename, AddColumn)
        for a in other.facts.actions
    )


def _was_detached(context: Context, table: str) -> bool:
    earlier = context.earlier(DetachPartition)
    return any(o.table(d.partition).name == table for o in earlier for d in o.actions(DetachPartition))
