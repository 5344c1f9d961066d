"""A diagnosis from log files: with a snapshot that knows the relations' names, or with nothing at all."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from pathlib import Path

import msgspec

import partadvisor
from partadvisor.io.collect.logs import read_log_waits
from partadvisor.io.collect.oids import Owner
from partadvisor.model.activity import LogWait
from partadvisor.model.errors import UsageError
from partadvisor.model.snapshot import ServerInfo, Snapshot

_NEWEST = 180000
"""Version taken for a log of which nothing is known."""


def with_logs(snapshot: Snapshot, logs: Sequence[Path]) -> Snapshot:
    """The snapshot with the waits of more log files; OIDs become the names the snapshot knows.

    Raises:
        UsageError: a file cannot be read, or none of them holds a wait for an extension lock.
    """
    known = _owners(snapshot)
    waits: list[LogWait] = []
    for path in logs:
        waits += read_log_waits(path, lambda _database, oid: known.get(oid))
    if not waits:
        names = ", ".join(f'"{path}"' for path in logs)
        raise UsageError(
            f"no wait for an extension lock in {names}",
            detail="The server logs waits longer than deadlock_timeout, and only with log_lock_waits = on.",
            hint="Set it for the hours of the peak, or sample the server: partadvisor collect DSN -o snapshot.json.",
        )
    return msgspec.structs.replace(snapshot, log_waits=(*snapshot.log_waits, *waits))


def log_snapshot(logs: Sequence[Path]) -> Snapshot:
    """A snapshot of nothing but log files; relations are named by their OIDs.

    Raises:
        UsageError: as ``with_logs``.
    """
    empty = Snapshot(
        tool_version=partadvisor.__version__,
        taken_at=datetime.datetime.now(datetime.UTC).isoformat(sep=" ", timespec="seconds"),
        server=ServerInfo(version="18", version_num=_NEWEST, database=""),
        missing=("the names of the relations: give a snapshot or a DSN beside --log",),
    )
    return with_logs(empty, logs)


def _owners(snapshot: Snapshot) -> dict[int, Owner]:
    """Tables and their TOAST tables; a snapshot holds no OIDs of indexes."""
    found = {}
    for relation in snapshot.relations:
        name = relation.qualified_name
        found[relation.oid] = Owner(relation=name, table=name, via="heap")
        if relation.toast_oid:
            found[relation.toast_oid] = Owner(relation=f"TOAST of {name}", table=name, via="toast")
    return found
