"""More locks in a transaction than max_locks_per_transaction."""

from __future__ import annotations

from collections.abc import Iterator

from partadvisor.lint.context import Context, Hit, ScriptContext

_DEFAULT = 64
_MANY = 10


def check_script(script: ScriptContext) -> Iterator[Hit]:
    """Flag the statement that goes beyond, once a transaction."""
    limit = script.max_locks_per_transaction or _DEFAULT
    seen: set[str] = set()
    total, current = 0, 0
    for context in script.statements:
        mine = context.session.transaction
        number = mine.number if mine else -context.position - 1
        if number != current:
            seen, total, current = set(), 0, number
        if context.origin == "routine":
            continue
        before, total = total, total + _taken(context, seen)
        if before <= limit < total:
            yield Hit(
                at=context.facts.span,
                severity="warning" if total > _MANY * limit else None,
                values={"count": str(total), "limit": str(limit)},
            )


def _taken(context: Context, seen: set[str]) -> int:
    """Locks that the statement adds: relations, and every index of each."""
    new = {k.relation for k in context.locks} - seen
    seen |= new
    tables = [context.table(name) for name in new]
    keys = sum(c.kind in ("primary_key", "unique") for t in tables for c in t.constraints.values())
    return len(tables) + keys + sum(len(t.indexes) for t in tables)
