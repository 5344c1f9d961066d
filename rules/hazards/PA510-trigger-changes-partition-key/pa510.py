"""A BEFORE ROW trigger that assigns the partition key."""

from __future__ import annotations

from collections.abc import Iterator

from partadvisor.lint.context import Context, Hit
from partadvisor.model.ddl import CreateRoutine, CreateTrigger
from partadvisor.pg.readable import readable_ident

WANTS = (CreateTrigger,)


def check(context: Context) -> Iterator[Hit]:
    """Look for the assignment in the function's body, if this script has it."""
    for trigger in context.actions(CreateTrigger):
        key = context.table(trigger.table).partition_by
        if key is None or not trigger.row or trigger.timing != "before":
            continue
        body = _body(context, trigger.function)
        for column in key.columns:
            if column is not None and _assigns(body, column):
                yield Hit(
                    at=trigger.span,
                    values={
                        "function": f"{readable_ident(trigger.function)}()",
                        "column": readable_ident(column),
                        "table": context.sql(trigger.table),
                    },
                )


def _body(context: Context, function: str) -> str:
    short = function.rpartition(".")[2]
    for other in context.earlier(CreateRoutine):
        for routine in other.actions(CreateRoutine):
            if routine.name.name == short:
                return routine.body or ""
    return ""


def _assigns(body: str, column: str) -> bool:
    text = "\n".join(line.partition("--")[0] for line in body.lower().splitlines())
    squeezed = text.replace('"', "").replace(" ", "")
    return f"new.{column}:=" in squeezed or any(
        statement.startswith(f"new.{column}=")
        for statement in squeezed.replace("begin", ";").replace("\n", "").split(";")
    )
