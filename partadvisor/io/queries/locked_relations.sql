-- relations that somebody has, or queues for, an ACCESS EXCLUSIVE lock on: our ACCESS SHARE would wait
SELECT DISTINCT l.relation::int8 AS oid
FROM pg_locks l
WHERE l.locktype = 'relation' AND l.mode = 'AccessExclusiveLock' AND l.relation IS NOT NULL
  AND l.pid <> pg_backend_pid()
  AND l.database = (SELECT d.oid FROM pg_database d WHERE d.datname = current_database())
