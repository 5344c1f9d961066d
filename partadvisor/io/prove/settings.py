"""Settings of the scratch server: the snapshot's where they decide what limits a load, bounded by this machine."""

from __future__ import annotations

import os
import re

from partadvisor.model.snapshot import Snapshot

_TAKEN_OVER = (
    "synchronous_commit", "full_page_writes", "wal_compression", "wal_buffers", "commit_delay", "commit_siblings",
    "random_page_cost", "seq_page_cost", "work_mem", "jit", "effective_io_concurrency", "default_toast_compression",
    "max_locks_per_transaction", "plan_cache_mode",
)  # fmt: skip
_OWN = {
    "max_wal_size": "8GB",
    "checkpoint_timeout": "30min",
    "track_io_timing": "on",
    "autovacuum_naptime": "5min",
}
_MEMORY_SHARE = 0.25
_UNITS = {"B": 1, "kB": 1024, "MB": 1024**2, "GB": 1024**3, "TB": 1024**4}
_SIZE = re.compile(r"(\d+)\s*(B|kB|MB|GB|TB)")


def scratch_settings(snapshot: Snapshot, clients: int) -> dict[str, str]:
    """Settings for a run with so many clients. Checkpoints are kept out of it, so that short runs compare."""
    theirs = snapshot.server.settings
    taken = {name: theirs[name] for name in _TAKEN_OVER if theirs.get(name)}
    buffers = bytes_of(theirs.get("shared_buffers", "")) or 128 * 1024**2
    most = int(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") * _MEMORY_SHARE)
    return {
        **taken,
        **_OWN,
        "shared_buffers": f"{min(buffers, most) // 1024}kB",
        "max_connections": str(clients + 20),
    }


def bytes_of(text: str) -> int | None:
    """``16MB`` as SHOW prints it, in bytes; None for anything else."""
    found = _SIZE.fullmatch(text.strip())
    return int(found[1]) * _UNITS[found[2]] if found else None
