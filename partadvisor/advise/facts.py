"""The numbers and conditions that the sentences of ``rules/remedies.toml`` may use."""

from __future__ import annotations

from collections import defaultdict

from partadvisor.advise import gain
from partadvisor.advise.evidence import Evidence
from partadvisor.model.diagnosis import GainLimit
from partadvisor.model.snapshot import Snapshot

_SETTINGS = (
    "shared_buffers", "max_connections", "max_wal_size", "checkpoint_timeout", "wal_compression", "wal_buffers",
    "synchronous_commit", "max_locks_per_transaction",
)  # fmt: skip


def numbers(snapshot: Snapshot, evidence: Evidence, limit: GainLimit | None) -> dict[str, str]:
    """What is known, ready to print; what is not known is not a key."""
    settings = snapshot.server.settings
    found: dict[str, str | None] = {name: settings.get(name) for name in _SETTINGS}
    standbys = settings.get("synchronous_standby_names")
    found["synchronous_standby_names"] = None if standbys is None else f"'{standbys}'" if standbys else "empty"
    found |= _queue(evidence) | _io(snapshot, evidence) | _wal(snapshot, evidence) | _statements(snapshot)
    found |= {
        "major": str(snapshot.server.major),
        "cores": _text(evidence.cores, "{:d}"),
        "cpu_percent": _text(evidence.cpu_busy, "{:.0%}", " %"),
        "tps": _text(evidence.transactions_per_second, "{:,.0f}"),
        "expected_gain": _text(limit.expected if limit else None, "{:.1f}"),
        "lock_gain": f"{gain.amdahl(evidence.share('extend', 'leaf')):.2f}" if evidence.shares else None,
        "idle_in_transaction": _text(evidence.share("client") * evidence.sessions or None, "{:.1f}"),
        "row_table": _row_table(snapshot),
        "log_lines": str(evidence.log_waits),
        "longer": f"{max(120, round(4 * (evidence.seconds or 0)))}",
    }
    return {name: text for name, text in found.items() if text is not None}


def conditions(snapshot: Snapshot, evidence: Evidence) -> dict[str, bool | None]:
    """True, False, or None for not known."""
    settings, top = snapshot.server.settings, evidence.tables[0] if evidence.tables else None
    window = snapshot.window
    wal = window.wal if window else None
    bulk = gain.bulk_extension_works(evidence)
    commit = settings.get("synchronous_commit")
    return {
        "index_queue": bool(top and top.via == "index"),
        "toast_queue": bool(top and top.via == "toast"),
        "no_bulk": None if bulk is None else not bulk,
        "bulk_works": bulk,
        "old_version": snapshot.server.major < 16,
        "log_only": evidence.source == "log",
        "cpu_unknown": evidence.cpu_busy is None,
        "writes_dominate": evidence.share("write") > evidence.share("read"),
        "sync_commit": None if commit is None else commit != "off",
        "no_commit_delay": settings.get("commit_delay", "0") == "0",
        "standby_wait": _events(evidence).get("IPC:SyncRep", 0.0) > 0.05 * evidence.sessions,
        "full_pages": bool(wal and wal.full_page_images > 0.1 * wal.records),
        "wal_buffers_full": bool(wal and window and wal.buffers_full > window.seconds),
        "few_slots": snapshot.server.major < 18,
        "many_slots": snapshot.server.major >= 18,
        "queue_seen": evidence.share("extend") > 0.1,
        "logged": evidence.log_waits > 0,
        "nothing_seen": evidence.source == "nothing",
        "lock_waits_not_logged": settings.get("log_lock_waits") == "off",
    }


def _text(value: float | None, pattern: str, unit: str = "") -> str | None:
    """``None`` stays None; ``unit`` replaces the percent sign, which people read with a space before it."""
    if value is None:
        return None
    text = pattern.format(value)
    return text.replace("%", unit) if unit else text


def _events(evidence: Evidence) -> dict[str, float]:
    return {name: mean for wait in evidence.waits for name, mean in wait.events.items()}


def _queue(evidence: Evidence) -> dict[str, str | None]:
    top = evidence.tables[0] if evidence.tables else None
    return {
        "table": top.table if top else None,
        "relation": top.relation if top else None,
        "extend_share": _text(evidence.share("extend"), "{:.0%}", " %"),
        "pages_per_extension": _text(evidence.pages_per_extension, "{:.1f}"),
    }


def _io(snapshot: Snapshot, evidence: Evidence) -> dict[str, str | None]:
    window = snapshot.window
    if window is None or window.io is None or not window.io.reads or window.seconds <= 0:
        return {}
    io, tps = window.io, evidence.transactions_per_second
    return {
        "reads_per_second": f"{io.reads / window.seconds:,.0f}",
        "read_ms": _text(io.read_ms / io.reads if io.read_ms else None, "{:.2f}"),
        "reads_per_transaction": _text(io.reads / window.seconds / tps if tps else None, "{:.1f}"),
    }


def _wal(snapshot: Snapshot, evidence: Evidence) -> dict[str, str | None]:
    window = snapshot.window
    if window is None or window.wal is None or window.seconds <= 0:
        return {}
    wal = window.wal
    sync = wal.sync_ms / wal.syncs if wal.sync_ms and wal.syncs else None
    waiting = _events(evidence).get("IPC:SyncRep", 0.0) / evidence.sessions if evidence.sessions else None
    return {
        "wal_mb_per_second": f"{wal.bytes / window.seconds / 1e6:.1f}",
        "fpi_share": _text(wal.full_page_images / wal.records if wal.records else None, "{:.0%}", " %"),
        "buffers_full_per_second": f"{wal.buffers_full / window.seconds:.0f}",
        "sync_ms": _text(sync, "{:.2f}"),
        "half_sync_us": _text(500 * sync if sync else None, "{:.0f}"),
        "standby_share": _text(waiting, "{:.0%}", " %"),
    }


def _row_table(snapshot: Snapshot) -> str | None:
    waiters: defaultdict[str, int] = defaultdict(int)
    for sample in snapshot.window.samples if snapshot.window else ():
        for wait in sample.row_waits:
            waiters[wait.table] += wait.waiters
    return max(waiters, key=lambda t: waiters[t]) if waiters else None


def _statements(snapshot: Snapshot) -> dict[str, str | None]:
    entries = [e for s in snapshot.statements for e in s.entries]
    total = sum(e.total_ms for e in entries)
    if not total:
        return {}
    top = max(entries, key=lambda e: e.total_ms)
    text = " ".join(top.text.split())
    return {
        "top_statement": text if len(text) <= 80 else text[:79] + "…",
        "top_share": _text(top.total_ms / total, "{:.0%}", " %"),
    }
