"""Whether the server has room for the work: disk, and entries of the lock table."""

# ruff: noqa: S608  (names are quoted by pg.quote)

from __future__ import annotations

import os
from pathlib import Path

from partadvisor.io.collect.server import is_postgres
from partadvisor.io.migrate.worker import Worker
from partadvisor.model.errors import UsageError
from partadvisor.model.plan import MigrationPlan
from partadvisor.pg.quote import quote_literal, quote_qualified
from partadvisor.planner.names import STATE_SCHEMA

_COMFORT = 0.1
"""Part of a file system that should be left free when all is done."""


def room(worker: Worker, plan: MigrationPlan, relations: int) -> list[str]:
    """Notes about disk and locks. ``relations`` is what the steps lock at once at most.

    Raises:
        UsageError: the disk or the lock table is too small.
    """
    return _disk(worker, plan) + _locks(worker, plan, relations)


def _disk(worker: Worker, plan: MigrationPlan) -> list[str]:
    if not plan.disk_bytes_needed:
        return []
    needed = max(plan.disk_bytes_needed - _there(worker, plan), 0)
    says = f"needs about {needed / 1e6:,.0f} MB of disk beside the table"
    found = _free(worker, plan)
    if found is None:
        return [f"{says}; how much is free cannot be seen from here"]
    path, free, size = found
    if needed > free:
        raise UsageError(
            f'the disk is too small for the copy of table "{plan.table}"',
            detail=f"It {says}, and {free / 1e6:,.0f} MB are free in {path}.",
            hint="Make room, or take a strategy that copies nothing.",
        )
    tight = "; that leaves hardly any" if free - needed < size * _COMFORT else ""
    return [f"{says}, {free / 1e6:,.0f} MB are free{tight}"]


def _there(worker: Worker, plan: MigrationPlan) -> int:
    """Bytes that an earlier run has written already."""
    copy = quote_literal(quote_qualified(f"{STATE_SCHEMA}_{plan.plan_id}_new", plan.relation))
    return int(
        worker.read(
            "SELECT coalesce(sum(pg_total_relation_size(t.relid)), 0)\n"
            f"FROM pg_partition_tree(to_regclass({copy})) t WHERE t.isleaf"
        )[0][0]
    )


def _free(worker: Worker, plan: MigrationPlan) -> tuple[str, int, int] | None:
    """Directory, bytes free and size of the file system that the table is in; None when it is not on this host."""
    table = quote_literal(quote_qualified(plan.scope, plan.relation))
    address, pid, path = worker.read(
        f"""SELECT host(inet_server_addr()), pg_backend_pid(),
  coalesce(nullif(pg_tablespace_location(coalesce(nullif(c.reltablespace, 0), d.dattablespace)), ''),
    current_setting('data_directory', true))
FROM (SELECT to_regclass({table})) t(oid) LEFT JOIN pg_class c ON c.oid = t.oid,
  pg_database d WHERE d.datname = current_database()"""
        if _may_see_directory(worker)
        else "SELECT NULL, 0, NULL"
    )[0]
    if path is None or address not in {None, "127.0.0.1", "::1"} or not is_postgres(pid):
        return None
    try:
        found = os.statvfs(Path(path))
    except OSError:
        return None
    return path, found.f_bavail * found.f_frsize, found.f_blocks * found.f_frsize


def _may_see_directory(worker: Worker) -> bool:
    return bool(worker.read("SELECT pg_has_role('pg_read_all_settings', 'USAGE')")[0][0])


def _locks(worker: Worker, plan: MigrationPlan, relations: int) -> list[str]:
    """The lock table is shared: what we take is missing for clients."""
    each, sessions = worker.read(
        "SELECT current_setting('max_locks_per_transaction')::integer,\n"
        "  current_setting('max_connections')::integer + current_setting('max_prepared_transactions')::integer"
    )[0]
    if relations > each * sessions:
        raise UsageError(
            f'the lock table is too small for the migration of table "{plan.table}"',
            detail=f"A step locks up to {relations:,} relations at once; the server has room for {each * sessions:,} "
            "(max_locks_per_transaction × connections).",
            hint=f"Set max_locks_per_transaction to {-(-2 * relations // sessions)} or more and restart, "
            "or make fewer partitions.",
        )
    if relations > each * sessions / 2:
        return [f"a step takes up to {relations:,} of the {each * sessions:,} entries of the lock table"]
    return []
