SELECT xact_commit AS commits, xact_rollback AS rollbacks
FROM pg_stat_database WHERE datname = current_database()
