"""The statements by which a step writes down that it is done, in its own transaction.

The runner and the numbered files use the same ones, so that either can go on where the other stopped.
"""

# ruff: noqa: S608  (SQL is what this module makes; names are quoted by pg.quote)

from __future__ import annotations

from partadvisor.model.plan import MigrationPlan
from partadvisor.pg.quote import quote_literal
from partadvisor.planner.names import JOURNAL

ROLLBACK = "rollback"
"""Journal entry of a rollback that has begun; nothing but the rollback may then go on."""


def mark(plan: MigrationPlan, step: str, state: str) -> str:
    """Statement that records the state (``running`` or ``done``) of a step."""
    done = "clock_timestamp()" if state == "done" else "NULL"
    values = ", ".join(quote_literal(text) for text in (plan.plan_id, step, state, plan.table))
    rows = f"({plan.status_sql})" if state == "done" and step in {"fill", "rewrite"} and plan.status_sql else None
    counted = f"(SELECT counted.a FROM {rows} AS counted(a, b))" if rows else "NULL"
    return (
        f"INSERT INTO {JOURNAL} (plan_id, step, state, table_name, finished, rows)\n"
        f"VALUES ({values}, {done}, {counted})\n"
        "ON CONFLICT (plan_id, step) DO UPDATE SET state = EXCLUDED.state, finished = EXCLUDED.finished, "
        "rows = EXCLUDED.rows"
    )


def unmark(plan: MigrationPlan, step: str) -> str:
    """Statement that forgets a step."""
    return f"DELETE FROM {JOURNAL} WHERE plan_id = {quote_literal(plan.plan_id)} AND step = {quote_literal(step)}"
