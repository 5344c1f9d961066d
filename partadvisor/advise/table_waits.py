"""Which table the extension queue belongs to, folded from index, TOAST and partition to the table people know."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Literal

import msgspec

from partadvisor.advise.waits import classify
from partadvisor.model.activity import ActivitySample, TableDelta, Window
from partadvisor.model.diagnosis import TableWait
from partadvisor.model.snapshot import Snapshot

Via = Literal["heap", "index", "toast"]
Rates = tuple[float | None, float | None]
_Queue = defaultdict[tuple[str, Via], int]
_PAGE = 8192


def table_waits(snapshot: Snapshot) -> tuple[TableWait, ...]:
    """Tables that took part in the queue or in the inserts, longest queue first, then most inserts."""
    root = roots(snapshot)
    found = {t.table: t for t in (_told(snapshot) or _logged(snapshot))}
    window = snapshot.window
    if window is not None and window.samples:
        found = {t.table: t for t in _sampled(window, root)}
    rates = _rates(window, root) if window is not None else _told_rates(snapshot)
    for table, (inserts, pages) in rates.items():
        known = found.get(table) or TableWait(table=table, extension_share=0.0)
        found[table] = msgspec.structs.replace(known, inserts_per_second=inserts, pages_per_second=pages)
    busy = [t for t in found.values() if t.extension_share or t.inserts_per_second or t.relation]
    logged = _logged_ms(snapshot, root)
    return tuple(sorted(busy, key=lambda t: (-t.extension_share, *_activity(t, logged), t.table)))


def _activity(wait: TableWait, logged: dict[str, float]) -> tuple[float, float]:
    return -logged.get(wait.table, 0.0), -(wait.inserts_per_second or 0.0)


def _logged_ms(snapshot: Snapshot, root: dict[str, str]) -> dict[str, float]:
    """Waiting time in the log's lines, by table."""
    waited: defaultdict[str, float] = defaultdict(float)
    for line in snapshot.log_waits:
        waited[root.get(line.table, line.table)] += line.wait_ms
    return waited


def roots(snapshot: Snapshot) -> dict[str, str]:
    """Top of the partition tree of every partition."""
    parents = {r.qualified_name: r.parent for r in snapshot.relations if r.parent}

    def top(name: str) -> str:
        while name in parents:
            name = parents[name]
        return name

    return {name: top(name) for name in parents}


def _sampled(window: Window, root: dict[str, str]) -> list[TableWait]:
    """Splits the extension class over tables as the waiters of ``pg_locks`` are split."""
    total = sum(s.active + s.idle_in_transaction for s in window.samples)
    waiting = sum(n for s in window.samples for event, n in s.waits.items() if classify(event) == "extend")
    queues: defaultdict[str, _Queue] = defaultdict(lambda: defaultdict(int))
    for sample in window.samples:
        for wait in sample.extension:
            queues[root.get(wait.table, wait.table)][(wait.relation, wait.via)] += wait.waiters
    waiters = sum(sum(q.values()) for q in queues.values())
    share = waiting / total if total else 0.0
    found = []
    for table, queue in queues.items():
        relation, via = _worst(queue)
        found.append(
            TableWait(
                table=table,
                extension_share=share * sum(queue.values()) / waiters if waiters else 0.0,
                via=via,
                relation=relation,
                lock_busy=_lock_busy(window.samples, relation),
            )
        )
    return found


def _lock_busy(samples: Sequence[ActivitySample], relation: str) -> float:
    """Share of the time in which somebody held or waited for a relation's extension lock.

    Waiters are seen in every look, a holder that nobody waits for only in those that read pg_locks. The looks without
    waiters are therefore judged by the ones among them that read it.
    """
    queued = alone = free = 0
    for sample in samples:
        here = [w for w in sample.extension if w.relation == relation]
        if any(w.waiters for w in here):
            queued += 1
        elif sample.locks_read:
            held = any(w.holders for w in here)
            alone, free = alone + held, free + (not held)
    waiting = queued / len(samples)
    return waiting + (1 - waiting) * alone / (alone + free) if alone + free else waiting


def _worst(queue: _Queue) -> tuple[str, Via]:
    """The kind of relation most of the queue is on, and the longest queue of that kind."""
    kinds: defaultdict[Via, int] = defaultdict(int)
    for (_, via), waiters in queue.items():
        kinds[via] += waiters
    worst = max(kinds, key=lambda k: kinds[k])
    return max((key for key in queue if key[1] == worst), key=lambda key: queue[key])


def _told(snapshot: Snapshot) -> list[TableWait]:
    told = snapshot.assumed.waits if snapshot.assumed else ()
    found: dict[str, TableWait] = {}
    for wait in told:
        if wait.relation is None or classify(wait.event) != "extend":
            continue
        table, via = owner(snapshot, wait.relation)
        before = found.get(table)
        share = wait.share + (before.extension_share if before else 0.0)
        found[table] = TableWait(table=table, extension_share=share, via=via, relation=wait.relation)
    return list(found.values())


def _logged(snapshot: Snapshot) -> list[TableWait]:
    """From log lines: who, but not how much: the share stays 0."""
    waited: defaultdict[tuple[str, str, Via | Literal["unknown"]], float] = defaultdict(float)
    root = roots(snapshot)
    for line in snapshot.log_waits:
        waited[(root.get(line.table, line.table), line.relation, line.via)] += line.wait_ms
    found: dict[str, TableWait] = {}
    for table, relation, via in sorted(waited, key=lambda k: -waited[k]):
        kind: Via | None = None if via == "unknown" else via
        found.setdefault(table, TableWait(table=table, extension_share=0.0, via=kind, relation=relation))
    return list(found.values())


def owner(snapshot: Snapshot, relation: str) -> tuple[str, Via | None]:
    """Table that a relation named ``schema.name`` (heap, index or TOAST) belongs to, and which of them it is.

    A name the snapshot does not know stands for itself.
    """
    root = roots(snapshot)
    for table in snapshot.relations:
        name = table.qualified_name
        if relation == name:
            return root.get(name, name), "heap"
        if any(relation == f"{table.schema}.{index.name}" for index in table.indexes):
            return root.get(name, name), "index"
        if relation == f"pg_toast.pg_toast_{table.oid}":
            return root.get(name, name), "toast"
    return relation, None


def _rates(window: Window, root: dict[str, str]) -> dict[str, Rates]:
    """Rows inserted and pages added a second, partitions added up."""
    if window.seconds <= 0:
        return {}
    groups: defaultdict[str, list[TableDelta]] = defaultdict(list)
    for delta in window.tables:
        groups[root.get(delta.table, delta.table)].append(delta)
    return {
        table: (
            sum(d.inserted for d in deltas) / window.seconds,
            sum(d.heap_bytes + d.index_bytes + d.toast_bytes for d in deltas) / _PAGE / window.seconds,
        )
        for table, deltas in groups.items()
    }


def _told_rates(snapshot: Snapshot) -> dict[str, Rates]:
    told = snapshot.assumed.tables if snapshot.assumed else ()
    return {t.table: (t.inserts_per_second, None) for t in told if t.inserts_per_second}
