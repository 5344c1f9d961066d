"""A strong lock without a limit to the wait for it."""

from __future__ import annotations

from collections.abc import Iterator

from partadvisor.lint.context import Context, Hit, ScriptContext, at_least
from partadvisor.lint.session import Lock
from partadvisor.lint.sizes import is_quiet
from partadvisor.model.ddl import (
    AttachIndex,
    CreateIndex,
    DetachPartition,
    Drop,
    LockTable,
    Maintain,
    SetVariable,
    ValidateConstraint,
)

_LONG_MS = 30_000
"""A statement_timeout up to this bounds the wait well enough."""
_QUIET = ("new", "small and idle")


def check_script(script: ScriptContext) -> Iterator[Hit]:
    """Flag the first one. When the script sets a limit later, or where it has no effect, other rules speak."""
    for context in script.statements:
        if _sets_one(context):
            return
        lock = _strong(context)
        if lock is None or context.origin == "routine" or _limited(context):
            continue
        if any(_sets_one(later) for later in context.later(SetVariable)):
            return
        yield Hit(
            at=context.facts.actions[0].span,
            about=(context.table(lock.relation),),
            locks=(lock,),
            values={
                "mode": lock.mode,
                "table": context.sql(lock.relation),
                "local": " LOCAL" if context.in_transaction else "",
            },
        )
        return


def _sets_one(context: Context) -> bool:
    return any(s.name == "lock_timeout" and s.value not in (None, "0") for s in context.actions(SetVariable))


def _limited(context: Context) -> bool:
    statement = context.timeout_ms("statement_timeout")
    return bool(context.timeout_ms()) or bool(statement and statement <= _LONG_MS)


def _strong(context: Context) -> Lock | None:
    if not all(_waits_strongly(a) for a in context.facts.actions):
        return None
    if not context.locks_at_least("SHARE"):
        return None
    names = {k.relation for k in context.locks}
    earlier = context.earlier(DetachPartition)
    if any(o.table(d.partition).name in names for o in earlier for d in o.actions(DetachPartition)):
        return None  # nobody asks for a table that was a partition
    held = {k.relation for k in context.held_at_least("ACCESS EXCLUSIVE")}  # no more waiting for these
    strong = (k for k in context.locks_at_least("SHARE") if k.certain and k.relation not in held)
    found = (k for k in strong if not is_quiet(context.table(k.relation), _QUIET))
    return max(found, key=lambda k: at_least(k.mode, "ACCESS EXCLUSIVE"), default=None)


def _waits_strongly(action: object) -> bool:
    """Not those that are made to let others pass; attaching an index has no table that would queue."""
    match action:
        case CreateIndex(concurrently=True) | Drop(concurrently=True) | DetachPartition(concurrently=True):
            return False
        case Maintain(concurrently=True) | LockTable(nowait=True) | ValidateConstraint() | AttachIndex():
            return False
    return True
