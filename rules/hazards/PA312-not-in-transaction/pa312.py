"""Statements that the server refuses in a transaction block."""

from __future__ import annotations

from collections.abc import Iterator

from partadvisor.lint.context import Context, Hit
from partadvisor.model.ddl import Action, CreateOther, Drop, Maintain, Other

WANTS = (Maintain, CreateOther, Drop, Other)
_OTHERS = {
    "AlterSystemStmt": "ALTER SYSTEM",
    "CreatedbStmt": "CREATE DATABASE",
    "DropdbStmt": "DROP DATABASE",
    "CreateTableSpaceStmt": "CREATE TABLESPACE",
    "DropTableSpaceStmt": "DROP TABLESPACE",
}


def check(context: Context) -> Iterator[Hit]:
    """Flag each inside of a transaction or a block."""
    transaction = context.session.transaction
    if transaction is None:
        return
    for action in context.facts.actions:
        what = _alone(action)
        if what:
            yield Hit(
                at=action.span,
                confidence="medium" if transaction.kind == "tool" else None,
                values={"statement": what},
            )


def _alone(action: Action) -> str:
    match action:
        case Maintain(command="vacuum", full=full):
            return "VACUUM FULL" if full else "VACUUM"
        case Maintain(command="reindex", kind=kind, concurrently=False) if kind in ("schema", "database", "system"):
            return f"REINDEX {kind.upper()}"
        case Maintain(command="cluster", names=()):
            return "CLUSTER"
        case CreateOther(kind=kind) | Drop(kind=kind) if kind in ("database", "tablespace"):
            return f"{'CREATE' if isinstance(action, CreateOther) else 'DROP'} {kind.upper()}"
        case Other(kind=kind):
            return _OTHERS.get(kind, "")
    return ""
