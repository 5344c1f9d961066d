"""A transaction without an end."""

from __future__ import annotations

from collections.abc import Iterator

from partadvisor.lint.context import Hit, ScriptContext


def check_script(script: ScriptContext) -> Iterator[Hit]:
    """Flag the BEGIN, if something was done after it."""
    open_now = script.session_end.transaction
    if open_now is not None and open_now.kind == "explicit" and open_now.start + 1 < len(script.statements):
        yield Hit(at=script.statements[open_now.start].facts.span)
