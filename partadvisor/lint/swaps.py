"""Swaps: a table is renamed away (or dropped), and one that the script made takes its name.

Whatever hung on the old table by its identity, and not by its name, stays behind.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from partadvisor.lint.context import Context, ScriptContext
from partadvisor.lint.scope import Scope
from partadvisor.lint.tables import Table
from partadvisor.model.ddl import CreateTable, CreateTrigger, Drop, Insert, Rename, SetSchema
from partadvisor.model.ddl_parts import Span

Copying = Insert | CreateTable
"""INSERT … SELECT, or CREATE TABLE AS."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Swap:
    """One swap. Names are qualified.

    ``came_from`` is what the new table was called before, ``retired`` what the old one is called since (None: dropped).
    ``before`` is the old table as the script found it, ``old`` as it was when it gave up its name, ``new`` the new one
    at the end of the script. ``away`` and ``into`` are the statements that freed the name and took it.
    """

    name: str
    came_from: str
    retired: str | None
    before: Table
    old: Table
    new: Table
    away: Context
    away_at: Span
    into: Context
    at: Span

    @property
    def in_one_transaction(self) -> bool:
        """Whether nobody can see the time between."""
        one, other = self.away.session.transaction, self.into.session.transaction
        same_statement = self.away.position == self.into.position
        return same_statement or (one is not None and other is not None and one.number == other.number)


def swaps(script: ScriptContext) -> tuple[Swap, ...]:
    """The swaps of tables that were in use."""
    if "swaps" not in script.memory:
        script.memory["swaps"] = tuple(_swaps(script))
    found: tuple[Swap, ...] = script.memory["swaps"]
    return found


def _swaps(script: ScriptContext) -> Iterator[Swap]:
    freed: dict[str, tuple[Context, Span, str | None]] = {}
    for context in script.statements:
        for name, to, at in _moves(context):
            if to in freed and context.table(name).new:
                yield _swap(script, freed.pop(to), context, name, to, at)
            if not context.table(name).new:
                freed[name] = (context, at, to or None)


def _moves(context: Context) -> Iterator[tuple[str, str, Span]]:
    """Tables that get another name, and that name; "" when they are dropped."""
    resolve = context.scope.resolve
    for rename in context.actions(Rename):
        if rename.kind == "table" and rename.table is not None:
            name = resolve(rename.table)
            yield name, f"{name.rpartition('.')[0]}.{rename.new}", rename.span
    for move in context.actions(SetSchema):
        if move.kind == "table" and move.name is not None:
            name = resolve(move.name)
            yield name, f"{move.schema}.{name.rpartition('.')[2]}", move.span
    for drop in context.actions(Drop):
        yield from ((resolve(n), "", drop.span) for n in drop.names if drop.kind == "table")


def _swap(
    script: ScriptContext, away: tuple[Context, Span, str | None], into: Context, came_from: str, name: str, at: Span
) -> Swap:
    start = script.statements[0].scope
    return Swap(
        name=name,
        came_from=came_from,
        retired=away[2],
        before=start.table(name),
        old=away[0].table(name),
        new=script.final.table(name),
        away=away[0],
        away_at=away[1],
        into=into,
        at=at,
    )


def leaves(scope: Scope, table: Table) -> list[Table]:
    """The partitions at the bottom; the table itself when it has none."""
    if not table.partitions:
        return [table]
    return [leaf for p in table.partitions for leaf in leaves(scope, scope.table(p))]


def copies(script: ScriptContext, swap: Swap) -> list[tuple[Context, Copying]]:
    """Statements that fill the new table from the old one before the swap; a function's definition runs nothing."""
    before = (c for c in script.statements[: swap.away.position] if c.origin != "routine")
    return [
        (context, action)
        for context in before
        for action, target, sources in _copying(context)
        if target == swap.came_from and swap.name in sources
    ]


def _copying(context: Context) -> Iterator[tuple[Copying, str, set[str]]]:
    """What copies rows, to where, and the relations it reads."""
    read = {context.scope.resolve(n) for n in context.facts.reads}
    for insert in context.actions(Insert):
        yield insert, context.scope.resolve(insert.table), read | {context.scope.resolve(n) for n in insert.sources}
    for create in context.actions(CreateTable):
        if create.from_query:
            yield create, context.scope.resolve(create.table, "new"), read


def shielded(copy: Context, swap: Swap) -> bool:
    """Whether writers of the old table are shut out from before the copy until the swap."""
    mine, other = copy.session.transaction, swap.into.session.transaction
    same = mine is not None and other is not None and mine.number == other.number
    return same and any(k.relation == swap.name for k in copy.held_at_least("SHARE"))


def catches_up(made: list[tuple[Context, Copying]], swap: Swap) -> list[tuple[Context, Copying]]:
    """The copies that take what is above max() of the new table."""
    return [
        (context, insert)
        for context, insert in made
        if "max" in context.facts.functions
        and swap.came_from in {context.scope.resolve(n) for n in context.facts.reads}
    ]


def sync_triggers(script: ScriptContext, swap: Swap) -> list[tuple[Context, CreateTrigger]]:
    """Triggers that the script puts on the old table before the swap: they repeat changes in the new one."""
    return [
        (context, trigger)
        for context in script.statements[: swap.away.position]
        for trigger in context.actions(CreateTrigger)
        if context.scope.resolve(trigger.table) == swap.name
    ]


def retired_text(swap: Swap) -> str:
    """What the old table is called after the swap, to be read."""
    return swap.into.sql(swap.retired) if swap.retired else "the dropped table"
