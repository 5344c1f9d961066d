"""IF NOT EXISTS where something else exists."""

from __future__ import annotations

from collections.abc import Iterator

from partadvisor.lint.context import Context, Hit
from partadvisor.lint.tables import Table
from partadvisor.lint.type_change import parts_of
from partadvisor.model.ddl import AddColumn, CreateIndex, CreateTable
from partadvisor.model.ddl_parts import Column, Span
from partadvisor.pg.readable import readable_ident

WANTS = (CreateTable, AddColumn, CreateIndex)


def check(context: Context) -> Iterator[Hit]:
    """Compare with what is there."""
    for create in context.actions(CreateTable):
        table = context.table(create.table)
        if create.if_not_exists and table.known and create.columns:
            difference = "; ".join(filter(None, (_column(table, c) for c in create.columns)))
            if difference:
                yield _hit(create.span, f"table {context.sql(create.table)}", difference)
    for add in context.actions(AddColumn):
        table = context.table(add.table)
        if add.if_not_exists and add.column.name in table.columns:
            difference = _column(table, add.column)
            if difference:
                yield _hit(add.span, f"column {readable_ident(add.column.name)}", difference)
    for index in context.actions(CreateIndex):
        found = context.table(index.table).indexes.get(index.index or "")
        if not index.if_not_exists or found is None or None in found.columns:
            continue
        if (found.columns, found.unique) != (index.columns, index.unique):
            columns = ", ".join(readable_ident(c) for c in found.columns if c)
            kind = "a unique index" if found.unique else "an index"
            yield _hit(index.span, f"index {readable_ident(index.index or '')}", f"it is {kind} on ({columns})")


def _hit(span: Span, what: str, difference: str) -> Hit:
    return Hit(at=span, values={"what": what, "difference": difference})


def _column(table: Table, wanted: Column) -> str:
    """How a column differs, empty when it does not."""
    name = readable_ident(wanted.name)
    found = table.columns.get(wanted.name)
    if found is None:
        return f"it has no column {name}"
    if found.type and parts_of(found.type)[0] != wanted.type:
        return f"{name} is {found.type}, not {wanted.type}"
    return f"{name} may be NULL" if wanted.not_null and not found.not_null else ""
