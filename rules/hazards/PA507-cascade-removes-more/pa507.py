"""TRUNCATE and DROP with CASCADE."""

from __future__ import annotations

from collections.abc import Iterator

from partadvisor.lint.context import Context, Hit
from partadvisor.lint.tables import Table
from partadvisor.model.ddl import Drop, Truncate
from partadvisor.pg.readable import readable_name

WANTS = (Truncate, Drop)
_KINDS = ("table", "schema", "type", "domain", "function", "view", "materialized view", "extension")


def check(context: Context) -> Iterator[Hit]:
    """Flag each, with what is known to depend."""
    for action in context.actions(Truncate):
        tables = tuple(context.table(t) for t in action.tables)
        if action.cascade and any(not t.known or _also_emptied(context, t) for t in tables):
            listed = ", ".join(readable_name(n) for t in tables for n in _also_emptied(context, t))
            yield Hit(
                at=action.span,
                about=tables,
                values={"what": f"TRUNCATE … CASCADE also empties {listed or 'every table with a foreign key to it'}"},
            )
    for drop in context.actions(Drop):
        if not drop.cascade or drop.kind not in _KINDS:
            continue
        found = tuple(context.table(n) for n in drop.names) if "view" in drop.kind or drop.kind == "table" else ()
        users = [readable_name(n) for t in found for n in (*t.views, *t.referenced_by)]
        if found and not users and all(t.known for t in found):
            continue
        using = f" used by {', '.join(users)}" if users else " that depends on it"
        yield Hit(
            at=drop.span,
            about=found,
            severity=None if users else "warning",
            values={"what": f"DROP {drop.kind.upper()} … CASCADE drops whatever else there is{using}"},
        )


def _also_emptied(context: Context, table: Table) -> list[str]:
    """Tables that reference it, directly or through others."""
    seen: list[str] = []
    waiting = list(table.referenced_by)
    while waiting:
        name = waiting.pop(0)
        if name not in seen and name != table.name:
            seen.append(name)
            waiting += context.table(name).referenced_by
    return seen
