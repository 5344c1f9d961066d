"""DDL in a loop of a DO block."""

from __future__ import annotations

from collections.abc import Iterator

from partadvisor.lint.context import Context, Hit
from partadvisor.model.ddl import DoBlock

WANTS = (DoBlock,)
_STRONG = (("alter", "table"), ("drop", "table"), ("truncate",), ("create", "index"), ("drop", "index"),
           ("detach", "partition"))  # fmt: skip


def check(context: Context) -> Iterator[Hit]:
    """Flag a block by the words of its body: what a loop runs is mostly put together from pieces."""
    for action in context.actions(DoBlock):
        words = "".join(c if c.isalnum() or c == "_" else " " for c in _without_comments(action.body)).lower().split()
        if "loop" not in words:
            continue
        loop = words[words.index("loop") : len(words) - words[::-1].index("loop")]
        if "commit" not in loop and any(_contains(loop, phrase) for phrase in _STRONG):
            yield Hit(at=action.span)


def _without_comments(body: str) -> str:
    return "\n".join(line.partition("--")[0] for line in body.splitlines())


def _contains(words: list[str], phrase: tuple[str, ...]) -> bool:
    return any(tuple(words[i : i + len(phrase)]) == phrase for i in range(len(words)))
