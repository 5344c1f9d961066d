"""Unique constraints of partitioned tables need the whole partition key."""

from __future__ import annotations

from collections.abc import Iterator

from partadvisor.lint.context import Context, Hit
from partadvisor.model.ddl import AddConstraint, CreateIndex, CreateTable
from partadvisor.model.ddl_parts import Constraint, PartitionBy, Span
from partadvisor.pg.readable import readable_ident

WANTS = (AddConstraint, CreateIndex, CreateTable)
_WORDS = {"primary_key": "the primary key", "unique": "a unique constraint"}


def check(context: Context) -> Iterator[Hit]:
    """Flag each that lacks a column."""
    for create in context.actions(CreateTable):
        own = (*create.constraints, *(k for c in create.columns for k in c.constraints))
        for constraint in own if create.partition_by else ():
            yield from _unique(context.sql(create.table), create.partition_by, constraint)
    for action in context.actions(AddConstraint):
        key = context.table(action.table).partition_by
        yield from _unique(context.sql(action.table), key, action.constraint)
    for index in context.actions(CreateIndex):
        key = context.table(index.table).partition_by
        if index.unique:
            yield from _lacking(context.sql(index.table), key, index.columns, "a unique index", index.span)


def _unique(table: str, key: PartitionBy | None, constraint: Constraint) -> Iterator[Hit]:
    if constraint.kind in _WORDS and constraint.using_index is None:
        yield from _lacking(table, key, constraint.columns, _WORDS[constraint.kind], constraint.span)


def _lacking(
    table: str, key: PartitionBy | None, columns: tuple[str | None, ...], what: str, at: Span
) -> Iterator[Hit]:
    missing = [c for c in key.columns if c is None or c not in columns] if key else []
    if missing:
        names = ", ".join("an expression" if c is None else readable_ident(c) for c in missing)
        yield Hit(at=at, values={"what": what, "table": table, "missing": names})
