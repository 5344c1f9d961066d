"""The statements of one step of a plan, to read or to paste, in the order they run in."""

from __future__ import annotations

from partadvisor.model.plan import Step

_PARTS = (
    ("each of what this gives, outside a transaction", "each_sql"),
    ("repeated until it gives 0", "repeat_sql"),
    ("repeated before every attempt, until it gives 0", "prelude_sql"),
    ("gives no row when all is well", "check_sql"),
)


def step_sql(step: Step) -> str:
    """SQL with a comment before each part that does not simply run once, and the undo at the end."""
    parts = [f"-- {words}\n{_ended(sql)}" for words, name in _PARTS if (sql := getattr(step, name))]
    if step.sql.strip():
        how = "in one transaction" if step.transactional else "outside a transaction"
        parts.append(f"-- {how}, lock_timeout {step.lock_timeout_ms} ms\n{_ended(step.sql)}")
    if step.undo_sql:
        parts.append(f"-- to undo it\n{_ended(step.undo_sql)}")
    return "\n\n".join(parts)


def _ended(sql: str) -> str:
    text = sql.strip()
    return text if text.endswith(";") else f"{text};"
