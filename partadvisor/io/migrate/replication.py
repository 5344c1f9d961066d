"""What WAL has to reach: standbys, slots and the archive, and whether any is in trouble before we write more."""

# ruff: noqa: S608  (values are numbers)

from __future__ import annotations

from partadvisor.io.migrate.worker import Worker

_LAG_S = 5
_RETAINED_BYTES = 1e9


def replication(worker: Worker) -> list[str]:
    """Notes about what falls behind already, or holds WAL back until the disk is full."""
    return [*_standbys(worker), *_slots(worker), *_archive(worker), *_unseen(worker)]


def _standbys(worker: Worker) -> list[str]:
    rows = worker.read(
        f"""SELECT coalesce(nullif(application_name, ''), host(client_addr), 'standby'),
  extract(epoch FROM replay_lag)::float8, pg_wal_lsn_diff(pg_current_wal_lsn(), replay_lsn)::float8
FROM pg_stat_replication WHERE replay_lag > interval '{_LAG_S} seconds'"""
    )
    return [
        f'"{name}" is {seconds:.0f} s ({behind / 1e6:,.0f} MB) behind already; the fill waits for it (--max-lag)'
        for name, seconds, behind in rows
    ]


def _slots(worker: Worker) -> list[str]:
    rows = worker.read(
        """SELECT slot_name, pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn)::float8,
  current_setting('max_slot_wal_keep_size') = '-1'
FROM pg_replication_slots WHERE NOT active AND restart_lsn IS NOT NULL"""
    )
    return [
        f'nobody reads replication slot "{name}", which keeps {kept / 1e6:,.0f} MB of WAL and all that will be written'
        + ("" if unlimited else " up to max_slot_wal_keep_size")
        for name, kept, unlimited in rows
    ]


def _archive(worker: Worker) -> list[str]:
    rows = worker.read(
        """SELECT last_failed_wal FROM pg_stat_archiver WHERE current_setting('archive_mode') <> 'off'
AND last_failed_time > coalesce(last_archived_time, '-infinity')"""
    )
    return [f"archiving WAL fails (last: {file}); what is written from now on stays on disk" for (file,) in rows]


def _unseen(worker: Worker) -> list[str]:
    if worker.read("SELECT pg_has_role('pg_read_all_stats', 'USAGE')")[0][0]:
        return []
    return ["the role cannot see, nor wait for, lag of standbys and transactions of others: GRANT pg_monitor TO it"]
