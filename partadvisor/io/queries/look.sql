-- One look at the sessions, counted on the server. pg_locks takes every partition of the lock table, so it is read
-- only when a wait that it can explain was seen, or when the caller asks for it (FORCED): a condition without
-- columns becomes a one-time filter, and the function behind pg_locks is then never called.
WITH seen AS MATERIALIZED (
  SELECT CASE WHEN a.state IN ('active', 'fastpath function call') THEN 'active'
      WHEN a.state IN ('idle in transaction', 'idle in transaction (aborted)') THEN 'transaction'
      WHEN a.state = 'idle' THEN 'idle' ELSE coalesce(a.state, 'hidden') END AS state,
    CASE WHEN a.state IN ('active', 'fastpath function call')
      THEN coalesce(a.wait_event_type || ':' || a.wait_event, 'CPU') END AS wait,
    count(*) AS sessions
  FROM pg_stat_activity a
  WHERE a.datname = current_database() AND a.pid <> pg_backend_pid()
    AND coalesce(a.backend_type, 'client backend') = 'client backend'
  GROUP BY 1, 2
), gate AS MATERIALIZED (
  SELECT FORCED OR EXISTS (
    SELECT FROM seen s WHERE s.wait IN ('Lock:extend', 'Lock:tuple', 'Lock:transactionid')) AS open
)
SELECT 'session' AS kind, s.state, s.wait, NULL::int8 AS relation, s.sessions::int AS waiters, 0 AS holders FROM seen s
UNION ALL
SELECT l.locktype, NULL, NULL, l.relation::int8,
  (count(DISTINCT l.pid) FILTER (WHERE NOT l.granted OR l.locktype = 'tuple'))::int,
  (count(*) FILTER (WHERE l.granted))::int
FROM pg_locks l
WHERE (SELECT g.open FROM gate g) AND l.locktype IN ('extend', 'tuple')
  AND l.database = (SELECT d.oid FROM pg_database d WHERE d.datname = current_database())
GROUP BY l.locktype, l.relation
UNION ALL
SELECT 'locks', NULL, NULL, NULL, g.open::int, 0 FROM gate g
