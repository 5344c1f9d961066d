"""COMMIT inside of a tool's transaction."""

from __future__ import annotations

from collections.abc import Iterator

from partadvisor.lint.context import Context, Hit
from partadvisor.model.ddl import Transaction

WANTS = (Transaction,)
_HOW = {
    "goose": "Write -- +goose NO TRANSACTION at the top, or split the migration.",
    "dbmate": "Write -- migrate:up transaction:false, or split the migration.",
    "flyway": "Set executeInTransaction=false for this script, or split it.",
}


def check(context: Context) -> Iterator[Hit]:
    """Flag the end of a transaction that the script did not begin."""
    transaction = context.session.transaction
    if transaction is None or transaction.kind != "tool" or context.origin != "script":
        return
    for action in context.actions(Transaction):
        if action.what in ("commit", "rollback"):
            tool = context.script.tool
            yield Hit(
                at=action.span,
                values={
                    "what": action.what.upper(),
                    "tool": "the caller" if tool in ("psql", "unknown") else tool,
                    "how": _HOW.get(tool, "Split the migration in two."),
                },
            )
