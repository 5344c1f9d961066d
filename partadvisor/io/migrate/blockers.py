"""Who stands in the way of a lock, in words a DBA can act on."""

# ruff: noqa: S608  (values are quoted)

from __future__ import annotations

from partadvisor.io.migrate.worker import Worker
from partadvisor.model.plan import Step
from partadvisor.pg.quote import quote_literal

_SHOWN = 3


def who_blocks(worker: Worker, step: Step) -> str | None:
    """The sessions that have held locks on the step's relations longest, or None when there is none."""
    names = sorted({lock.relation for lock in step.locks})
    if not names:
        return None
    listed = ", ".join(quote_literal(name) for name in names)
    rows = worker.read(
        f"""SELECT a.pid, coalesce(a.usename, a.backend_type), coalesce(a.application_name, ''), coalesce(a.state, ''),
  extract(epoch FROM clock_timestamp() - a.xact_start)::float8, string_agg(DISTINCT n.nspname || '.' || c.relname, ', ')
FROM pg_locks l JOIN pg_class c ON c.oid = l.relation JOIN pg_namespace n ON n.oid = c.relnamespace
JOIN pg_stat_activity a ON a.pid = l.pid
WHERE l.granted AND l.locktype = 'relation'
  AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
  AND n.nspname || '.' || c.relname IN ({listed}) AND l.pid <> pg_backend_pid()
GROUP BY 1, 2, 3, 4, a.xact_start ORDER BY a.xact_start LIMIT {_SHOWN}"""
    )
    found = [
        f"process {pid} ({user}{f', {name}' if name else ''}) {state} for {seconds or 0:.1f} s holds {relations}"
        for pid, user, name, state, seconds, relations in rows
    ]
    return "; ".join(found) or None
