"""lock_timeout after the first strong lock."""

from __future__ import annotations

from collections.abc import Iterator

from partadvisor.lint.context import Context, Hit, ScriptContext
from partadvisor.lint.session import Lock
from partadvisor.lint.sizes import is_quiet
from partadvisor.model.ddl import CreateIndex, DetachPartition, Drop, Maintain, SetVariable, ValidateConstraint

_QUIET = ("new", "small and idle")


def check_script(script: ScriptContext) -> Iterator[Hit]:
    """Flag the first setting when a lock came before it."""
    unlimited: tuple[Context, Lock] | None = None
    for context in script.statements:
        for setting in context.actions(SetVariable):
            if setting.name != "lock_timeout" or setting.value in (None, "0"):
                continue
            if unlimited is not None:
                before, lock = unlimited
                yield Hit(
                    at=setting.span,
                    about=(before.table(lock.relation),),
                    values={
                        "line": str(script.text.count("\n", 0, before.facts.span.start) + 1),
                        "mode": lock.mode,
                        "table": before.sql(lock.relation),
                    },
                )
            return
        if unlimited is None and not context.timeout_ms("statement_timeout") and context.origin != "routine":
            lock_found = _strong(context)
            unlimited = (context, lock_found) if lock_found else None


def _strong(context: Context) -> Lock | None:
    if any(isinstance(a, ValidateConstraint) or _concurrent(a) for a in context.facts.actions):
        return None
    found = context.locks_at_least("SHARE")
    return next((k for k in found if k.certain and not is_quiet(context.table(k.relation), _QUIET)), None)


def _concurrent(action: object) -> bool:
    return isinstance(action, CreateIndex | Drop | DetachPartition | Maintain) and action.concurrently
