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
        f"""SELECT coalesce('process ' || a.pid || ' (' || concat_ws(', ', coalesce(a.usename, a.backend_type),
    nullif(a.application_name, '')) || ')', 'prepared transaction ' || quote_literal(x.gid) || ' of ' || x.owner,
    'process ' || l.pid), coalesce(' ' || a.state, ''),
  extract(epoch FROM clock_timestamp() - coalesce(a.xact_start, x.prepared))::float8 AS age,
  string_agg(DISTINCT n.nspname || '.' || c.relname, ', ')
FROM pg_locks l JOIN pg_class c ON c.oid = l.relation JOIN pg_namespace n ON n.oid = c.relnamespace
LEFT JOIN pg_stat_activity a ON a.pid = l.pid
LEFT JOIN pg_locks o ON l.pid IS NULL AND o.pid IS NULL AND o.locktype = 'transactionid'
  AND o.virtualtransaction = l.virtualtransaction
LEFT JOIN pg_prepared_xacts x ON x.transaction = o.transactionid
WHERE l.granted AND l.locktype = 'relation'
  AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
  AND (n.nspname || '.' || c.relname IN ({listed}) OR EXISTS (
    SELECT FROM pg_partition_ancestors(c.oid) p JOIN pg_class pc ON pc.oid = p.relid
    JOIN pg_namespace pn ON pn.oid = pc.relnamespace WHERE pn.nspname || '.' || pc.relname IN ({listed})))
  AND l.pid IS DISTINCT FROM pg_backend_pid()
GROUP BY 1, 2, 3 ORDER BY age DESC NULLS LAST LIMIT {_SHOWN}"""
    )
    found = [f"{who}{state} for {seconds or 0:.1f} s holds {relations}" for who, state, seconds, relations in rows]
    return "; ".join(found) or None
