"""CREATE INDEX ON ONLY stays invalid until an index of every partition is attached."""

from __future__ import annotations

from collections.abc import Iterator

from partadvisor.lint.context import Context, Hit, ScriptContext
from partadvisor.lint.partition_index import attach_text, build_text
from partadvisor.lint.tables import Table
from partadvisor.model.ddl import AttachIndex, CreateIndex
from partadvisor.pg.readable import readable_ident


def check_script(script: ScriptContext) -> Iterator[Hit]:
    """Flag each index that the end of the script leaves unfinished."""
    for context in script.statements:
        for create in context.actions(CreateIndex):
            table = context.table(create.table)
            if not create.only or not table.partitioned or create.index is None:
                continue
            if script.final.index(create.index) is None:
                continue
            missing = _unattached(script, context, create)
            if missing:
                lines = [t for p in missing for t in (build_text(context, create, p), attach_text(create, p))]
                yield Hit(
                    at=create.span,
                    about=(table,),
                    values={
                        "index": readable_ident(create.index),
                        "missing": ", ".join(context.sql(p.name) for p in missing),
                        "recipe": "\n".join(lines),
                    },
                )


def _unattached(script: ScriptContext, made: Context, create: CreateIndex) -> list[Table]:
    attached = set()
    for context in script.statements:
        for attach in context.actions(AttachIndex):
            index = context.scope.index(attach.index)
            if attach.parent.name == create.index and index is not None:
                attached.add(index.table)
    return [p for p in script.final.partitions_of(made.scope.resolve(create.table)) if p.name not in attached]
