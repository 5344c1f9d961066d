"""More locks in a transaction than max_locks_per_transaction."""

from __future__ import annotations

from collections.abc import Iterator

from partadvisor.lint.context import Context, Hit, ScriptContext

_DEFAULT = 64
_MANY = 10


def check_script(script: ScriptContext) -> Iterator[Hit]:
    """Flag the statement that goes beyond, once a transaction."""
    limit = script.max_locks_per_transaction or _DEFAULT
    flagged: set[int] = set()
    for context in script.statements:
        mine = context.session.transaction
        number = mine.number if mine else -context.position - 1
        if number in flagged or context.origin == "routine":
            continue
        count = _count(context)
        if count > limit:
            flagged.add(number)
            yield Hit(
                at=context.facts.span,
                severity="warning" if count > _MANY * limit else None,
                values={"count": str(count), "limit": str(limit)},
            )


def _count(context: Context) -> int:
    """Tables with all partitions below them, and every index of each."""
    waiting = [k.relation for k in (*context.session.held, *context.locks)]
    seen: set[str] = set()
    total = 0
    while waiting:
        name = waiting.pop()
        if name in seen:
            continue
        seen.add(name)
        table = context.table(name)
        total += 1 + len(table.indexes) + sum(c.kind in ("primary_key", "unique") for c in table.constraints.values())
        waiting += table.partitions
    return total
