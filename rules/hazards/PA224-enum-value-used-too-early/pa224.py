"""An enum value used in the transaction that adds it."""

from __future__ import annotations

from collections.abc import Iterator

from partadvisor.lint.context import Context, Hit
from partadvisor.model.ddl import AlterOther, CreateOther
from partadvisor.pg.quote import quote_literal

WANTS = (AlterOther,)


def check(context: Context) -> Iterator[Hit]:
    """Look for the literal in the rest of the transaction."""
    mine = context.session.transaction
    for action in context.actions(AlterOther):
        value = dict(action.options).get("value", "")
        if action.what != "add value" or mine is None or action.name is None or not value:
            continue
        if _made_here(context, action.name.name):
            continue
        for other in context.later():
            theirs = other.session.transaction
            if theirs is None or theirs.number != mine.number:
                break
            if quote_literal(value) in other.facts.text and not any(
                a.kind == "type" for a in other.actions(AlterOther)
            ):
                yield Hit(at=other.facts.span, values={"value": value, "type": context.sql(action.name)})
                break


def _made_here(context: Context, name: str) -> bool:
    return any(
        create.name is not None and create.name.name == name
        for other in context.same_transaction(CreateOther)
        for create in other.actions(CreateOther)
        if create.kind == "type"
    )
