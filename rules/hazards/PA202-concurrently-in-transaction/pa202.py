"""CREATE, DROP or REINDEX … CONCURRENTLY inside of a transaction."""

from __future__ import annotations

from collections.abc import Iterator

from partadvisor.lint.context import Context, Hit
from partadvisor.model.ddl import Action, CreateIndex, Drop, Maintain

WANTS = (CreateIndex, Drop, Maintain)
_HOW = {
    "goose": "Write -- +goose NO TRANSACTION at the top of the file, and nothing else into it.",
    "dbmate": "Write -- migrate:up transaction:false, and nothing else into that part.",
    "flyway": "Give it a migration of its own: Flyway leaves out the transaction when nothing else is in the file.",
    "alembic": "Run it in op.get_context().autocommit_block().",
    "django": "Set atomic = False in the migration and use AddIndexConcurrently or RemoveIndexConcurrently.",
    "sqitch": "Take BEGIN and COMMIT out of this change, and everything else too.",
    "golang-migrate": "Give it a file of its own: a file with one statement runs without a transaction.",
}


def check(context: Context) -> Iterator[Hit]:
    """Flag what the server will refuse."""
    transaction = context.session.transaction
    if transaction is None and context.origin == "script":
        return
    for action in context.facts.actions:
        what = _concurrent(action)
        if not what:
            continue
        yield Hit(
            at=action.span,
            confidence="medium" if transaction is not None and transaction.kind == "tool" else None,
            values={
                "statement": f"{what} CONCURRENTLY",
                "how": _HOW.get(context.script.tool, "Run it outside of BEGIN … COMMIT, as a statement of its own."),
            },
        )


def _concurrent(action: Action) -> str:
    match action:
        case CreateIndex(concurrently=True):
            return "CREATE INDEX"
        case Drop(concurrently=True):
            return "DROP INDEX"
        case Maintain(command="reindex", concurrently=True):
            return "REINDEX"
    return ""
