"""Foreign keys make partition commands lock tables at their other end."""

from __future__ import annotations

from collections.abc import Iterator

from partadvisor.lint.context import Context, Hit
from partadvisor.lint.session import Lock
from partadvisor.model.ddl import AttachPartition, CreateTable, DetachPartition
from partadvisor.model.ddl_parts import Name, Span

WANTS = (AttachPartition, CreateTable, DetachPartition)
_SHORT_MS = 1000


def check(context: Context) -> Iterator[Hit]:
    """Tell which other tables are locked, unless a short lock_timeout is in force."""
    timeout = context.timeout_ms()
    if timeout and timeout <= _SHORT_MS:
        return
    for what, parent_name, span in _commands(context):
        parent = context.table(parent_name)
        far = {*parent.referenced_by, *(k.references for k in parent.of_kind("foreign_key") if k.references)}
        locks = [k for k in context.locks_at_least("SHARE") if k.relation in far and k.relation != parent.name]
        if locks:
            yield Hit(
                at=span,
                about=tuple(context.table(k.relation) for k in locks),
                locks=tuple(locks),
                values={"what": what, "others": _listed(context, locks), "parent": context.sql(parent_name)},
            )


def _commands(context: Context) -> Iterator[tuple[str, Name, Span]]:
    for attach in context.actions(AttachPartition):
        yield f"attaching {context.sql(attach.partition)}", attach.table, attach.span
    for detach in context.actions(DetachPartition):
        yield f"detaching {context.sql(detach.partition)}", detach.table, detach.span
    for create in context.actions(CreateTable):
        if create.partition_of is not None:
            yield f"creating {context.sql(create.table)}", create.partition_of, create.span


def _listed(context: Context, locks: list[Lock]) -> str:
    return ", ".join(f"{context.sql(k.relation)} ({k.mode})" for k in locks)
