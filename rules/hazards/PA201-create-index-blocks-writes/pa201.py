"""CREATE INDEX without CONCURRENTLY."""

from __future__ import annotations

from collections.abc import Iterator

from partadvisor.lint.context import Context, Hit
from partadvisor.model.ddl import CreateIndex
from partadvisor.model.ddl_parts import Span
from partadvisor.model.finding import Edit, Fix
from partadvisor.pg.readable import readable_ident

WANTS = (CreateIndex,)


def check(context: Context) -> Iterator[Hit]:
    """Flag each build that stops writers; partitioned tables have rules of their own."""
    for create in context.actions(CreateIndex):
        table = context.table(create.table)
        if create.concurrently or create.only or table.partitioned or table.kind == "materialized view":
            continue
        text = context.script.text[create.span.start : create.span.end]
        word = _index_word(text)
        edit = Edit(span=Span(start=create.span.start + word, end=create.span.start + word), text=" CONCURRENTLY")
        alone = word > 0 and not context.in_transaction and context.origin == "script"
        yield Hit(
            at=create.span,
            about=(table,),
            scanned=table,
            values={
                "index": "an index" if create.index is None else f"index {readable_ident(create.index)}",
                "table": context.sql(create.table),
                "outside": ", in a migration that runs outside of a transaction" if context.in_transaction else "",
                "statement": f"{text[:word]} CONCURRENTLY{text[word:]}" if word else text,
            },
            fix=Fix(title="Build it concurrently", edits=(edit,), safe=False) if alone else None,
        )


def _index_word(text: str) -> int:
    """Where INDEX ends, 0 when there is more before it than CREATE and UNIQUE."""
    at = 0
    for word in text.split()[:3]:
        at = text.index(word, at) + len(word)
        if word.upper() == "INDEX":
            return at
        if word.upper() not in ("CREATE", "UNIQUE"):
            return 0
    return 0
