"""Triggers turned off on a table in use."""

from __future__ import annotations

from collections.abc import Iterator

from partadvisor.lint.context import Context, Hit
from partadvisor.model.ddl import AlterTableOther, SetVariable

WANTS = (AlterTableOther, SetVariable)


def check(context: Context) -> Iterator[Hit]:
    """Flag all triggers turned off, of a table or of a session; those of one's own by name are one's own business."""
    for action in context.actions(AlterTableOther):
        if action.what != "disable trigger" or action.names:
            continue
        table = context.table(action.table)
        closed = context.in_transaction and _enabled_again(context, table.name)
        yield Hit(
            at=action.span,
            about=(table,),
            severity="warning" if closed else None,
            values={
                "what": f"all triggers of {context.sql(action.table)} are turned off"
                + ("" if closed else ", for every session"),
                "how": "Keep the constraints on while rows are written, or VALIDATE them anew afterwards."
                if closed
                else "Enable them in the same transaction; better, keep the constraints on.",
            },
        )
    for setting in context.actions(SetVariable):
        if setting.name == "session_replication_role" and setting.value == "replica":
            yield Hit(
                at=setting.span,
                severity="warning",
                values={"what": "session_replication_role = replica turns off triggers of all tables for this session",
                        "how": "Load in an order that keeps the constraints, or add them NOT VALID and VALIDATE."},
            )  # fmt: skip


def _enabled_again(context: Context, table: str) -> bool:
    mine = context.session.transaction
    for other in context.later():
        theirs = other.session.transaction
        if mine is None or theirs is None or theirs.number != mine.number:
            return False
        if any(
            a.what == "enable trigger" and other.table(a.table).name == table for a in other.actions(AlterTableOther)
        ):
            return True
    return False
