SELECT xact_commit AS commits, xact_rollback AS rollbacks, stats_reset::text AS reset
FROM pg_stat_database WHERE datname = current_database()
