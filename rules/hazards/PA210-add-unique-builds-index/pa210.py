"""ADD PRIMARY KEY and ADD UNIQUE that build their index themselves."""

from __future__ import annotations

from collections.abc import Iterator

from partadvisor.lint.context import Context, Hit
from partadvisor.model.ddl import AddColumn, AddConstraint, AlterTable
from partadvisor.model.ddl_parts import Constraint
from partadvisor.pg.readable import readable_ident

WANTS = (AddConstraint, AddColumn)
_WORDS = {"primary_key": "PRIMARY KEY", "unique": "UNIQUE"}


def check(context: Context) -> Iterator[Hit]:
    """Flag each; ON ONLY a partitioned table builds nothing."""
    for action in context.actions(AddConstraint):
        if not (action.only and context.table(action.table).partitioned):
            yield from _hits(context, action, (action.constraint,))
    for column in context.actions(AddColumn):
        yield from _hits(context, column, column.column.constraints)


def _hits(context: Context, action: AlterTable, constraints: tuple[Constraint, ...]) -> Iterator[Hit]:
    table = context.table(action.table)
    for constraint in constraints:
        words = _WORDS.get(constraint.kind)
        if words is None or constraint.using_index is not None or table.empty:
            continue
        shown, columns = context.sql(action.table), ", ".join(readable_ident(c) for c in constraint.columns)
        ending = "pkey" if constraint.kind == "primary_key" else f"{'_'.join(constraint.columns)}_key"
        name = readable_ident(constraint.name or f"{action.table.name}_{ending}")
        lines = [
            f"CREATE UNIQUE INDEX CONCURRENTLY {name} ON {shown} ({columns});",
            f"ALTER TABLE {shown} ADD CONSTRAINT {name} {words} USING INDEX {name};",
        ]
        if table.partitioned:
            lines = [f"ALTER TABLE ONLY {shown} ADD CONSTRAINT {name} {words} ({columns});"]
            lines.append(
                "-- then for each partition: build the same index concurrently, ALTER INDEX … ATTACH PARTITION"
            )
        yield Hit(
            at=constraint.span,
            about=(table,),
            scanned=table,
            values={
                "what": f"{words} ({columns})",
                "table": shown,
                "how": "Add it to ONLY the partitioned table and attach the partitions' indexes one by one."
                if table.partitioned
                else "Build the index concurrently first and add the constraint USING INDEX.",
                "recipe": "\n".join(lines),
            },
        )
