"""A session setting that is not taken back."""

from __future__ import annotations

from collections.abc import Iterator

from partadvisor.lint.context import Hit, ScriptContext
from partadvisor.model.ddl import SetVariable

_SHARING = ("flyway", "goose", "dbmate", "golang-migrate")
_HARMLESS = ("client_min_messages", "client_encoding", "application_name", "standard_conforming_strings", "xmloption",
             "check_function_bodies", "default_tablespace", "default_table_access_method", "row_security")  # fmt: skip


def check_script(script: ScriptContext) -> Iterator[Hit]:
    """Flag what is left at the end, at the statement that set it."""
    if script.tool not in _SHARING:
        return
    for name, setting in script.session_end.settings.items():
        if setting.local or name in _HARMLESS or not 0 <= setting.statement < len(script.statements):
            continue
        context = script.statements[setting.statement]
        if context.origin == "routine":
            continue
        for action in context.actions(SetVariable):
            if action.name == name:
                yield Hit(
                    at=action.span,
                    values={
                        "name": name,
                        "value": setting.value,
                        "tool": script.tool,
                        "how": f"SET LOCAL {name}, which ends with the transaction."
                        if context.in_transaction
                        else f"RESET {name} at the end.",
                    },
                )
