"""What the server says about itself: version, role, settings, extensions, and what stands between us."""

from __future__ import annotations

import os
from pathlib import Path

import msgspec

from partadvisor.io.collect.session import Session
from partadvisor.io.connect import is_pooled
from partadvisor.model.snapshot import ServerInfo

# settings that diagnosis, read cost or a migration depend on; an allow list, since others may hold secrets
SETTINGS = (
    "allow_system_table_mods", "autovacuum", "autovacuum_analyze_scale_factor", "autovacuum_vacuum_scale_factor",
    "backend_flush_after", "bgwriter_delay", "bgwriter_lru_maxpages", "bgwriter_lru_multiplier", "block_size",
    "checkpoint_completion_target", "checkpoint_timeout", "cluster_name", "commit_delay", "commit_siblings",
    "compute_query_id", "constraint_exclusion", "cpu_index_tuple_cost", "cpu_operator_cost", "cpu_tuple_cost",
    "cursor_tuple_fraction", "data_checksums", "deadlock_timeout", "debug_assertions", "default_statistics_target",
    "default_toast_compression", "default_transaction_isolation", "effective_cache_size",
    "effective_io_concurrency", "enable_bitmapscan", "enable_gathermerge", "enable_hashagg", "enable_hashjoin",
    "enable_incremental_sort", "enable_indexonlyscan", "enable_indexscan", "enable_material", "enable_memoize",
    "enable_mergejoin", "enable_nestloop", "enable_parallel_append", "enable_parallel_hash",
    "enable_partition_pruning", "enable_partitionwise_aggregate", "enable_partitionwise_join", "enable_seqscan",
    "enable_sort", "enable_tidscan", "file_extend_method", "from_collapse_limit", "fsync", "full_page_writes",
    "geqo", "geqo_effort", "geqo_threshold", "hash_mem_multiplier", "huge_pages",
    "idle_in_transaction_session_timeout", "io_combine_limit", "io_max_combine_limit", "io_max_concurrency",
    "io_method", "io_workers", "jit", "jit_above_cost", "join_collapse_limit", "lc_collate", "lc_ctype",
    "lock_timeout", "log_line_prefix", "log_lock_waits", "log_min_duration_statement", "log_timezone",
    "maintenance_work_mem", "max_connections", "max_locks_per_transaction", "max_parallel_workers",
    "max_parallel_workers_per_gather", "max_prepared_transactions", "max_wal_size", "max_worker_processes",
    "min_parallel_index_scan_size", "min_parallel_table_scan_size", "min_wal_size", "parallel_setup_cost",
    "parallel_tuple_cost", "pg_stat_statements.max", "pg_stat_statements.track",
    "pg_stat_statements.track_planning", "pg_stat_statements.track_utility", "plan_cache_mode", "random_page_cost",
    "segment_size", "seq_page_cost", "server_encoding", "shared_buffers",
    "standard_conforming_strings", "statement_timeout", "synchronous_commit", "synchronous_standby_names",
    "temp_buffers", "TimeZone", "track_activities", "track_counts", "track_io_timing", "track_wal_io_timing",
    "wal_buffers", "wal_compression", "wal_level", "wal_segment_size", "wal_sync_method", "wal_writer_delay",
    "wal_writer_flush_after", "work_mem",
)  # fmt: skip

_LOOPBACK = ("127.0.0.1", "::1")


class Facts(msgspec.Struct, frozen=True):
    """``info`` goes into the snapshot; the rest helps to collect.

    Attributes:
        info: for the snapshot.
        database_oid: of the database we are connected to.
        statements_schema: where pg_stat_statements is installed, None when it is not in this database.
    """

    info: ServerInfo
    database_oid: int
    statements_schema: str | None


def read_server(session: Session, *, cores: int | None = None) -> Facts:
    """Reads it in a transaction of its own; ``cores`` overrides what a local host tells."""
    pooled = is_pooled(session.connection)
    with session.transaction(bare=True):  # our own settings would show
        settings = {s["name"]: s["setting"] for s in session.rows("settings", {"names": list(SETTINGS)})}
    with session.transaction():
        row = session.rows("server")[0]
        extensions = session.rows("extensions")
    local = not pooled and row["address"] in (None, *_LOOPBACK) and is_postgres(row["pid"])
    info = ServerInfo(
        version=row["version"],
        version_num=row["version_num"],
        database=row["database"],
        encoding=row["encoding"],
        in_recovery=row["in_recovery"],
        is_local=local,
        cores=cores or (usable_cores() if local else None),
        settings=settings,
        extensions={e["name"]: e["version"] for e in extensions},
        user=row["user"],
        user_is_superuser=row["user_is_superuser"],
        user_can_monitor=row["user_can_monitor"],
        pooler="a pooler answers in the server's place" if pooled else None,
    )
    if not info.user_can_monitor:
        session.note("sessions, waits and statements of other roles: GRANT pg_monitor TO the role you collect with")
    schema = next((e["schema"] for e in extensions if e["name"] == "pg_stat_statements"), None)
    return Facts(info, row["database_oid"], schema)


def is_postgres(pid: int) -> bool:
    """Whether the server's process is on this host: a forwarded port or socket looks local too."""
    try:
        return "postgres" in Path(f"/proc/{pid}/comm").read_text() or (
            "postgres" in Path(f"/proc/{pid}/cmdline").read_text()
        )
    except OSError:
        return False


def usable_cores() -> int:
    """Processors that the processes of this host or container may use, a control group's quota included."""
    count = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    try:
        quota, period = Path("/sys/fs/cgroup/cpu.max").read_text().split()
        return count if quota == "max" else max(1, min(count, round(int(quota) / int(period))))
    except (OSError, ValueError):
        return count
