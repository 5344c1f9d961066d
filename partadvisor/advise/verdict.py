"""The rules that turn wait shares into one verdict, in the order in which they exclude each other.

The order matters: what must not be "cured" by partitioning is asked first. A rule compares with the measured value;
how far the value is from the limit, in units of its own error, becomes the verdict's certainty.
"""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from partadvisor.advise import gain, waits
from partadvisor.advise.evidence import Evidence
from partadvisor.advise.intervals import certainty
from partadvisor.advise.thresholds import threshold
from partadvisor.advise.waits import WaitClass
from partadvisor.model.diagnosis import Verdict


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """A verdict, the chance that the measured side of its limit is the true one, and the numbers in words."""

    verdict: Verdict
    certainty: float
    reason: str


_LOCKS: tuple[WaitClass, ...] = ("extend", "leaf")
_STORAGE: tuple[WaitClass, ...] = ("read", "write", "wal")
_NAMED: dict[WaitClass, Verdict] = {
    "read": "storage_reads",
    "write": "storage_reads",
    "wal": "wal",
    "row": "row_locks",
    "lock_manager": "lock_manager",
    "client": "client",
}


def decide(evidence: Evidence) -> Finding:
    """The first rule that applies."""
    found = (rule(evidence) for rule in _RULES)
    return next((finding for finding in found if finding is not None), None) or _nothing(evidence)


def percent(share: float) -> str:
    """``62 %``."""
    return f"{100 * share:.0f} %"


def _with_interval(evidence: Evidence, *classes: WaitClass) -> str:
    low, high = evidence.low(*classes), evidence.high(*classes)
    return f"{percent(evidence.share(*classes))} ({percent(low)[:-2]} to {percent(high)})"


def _clear_of(evidence: Evidence, limit: float, *classes: WaitClass) -> float:
    return certainty(evidence.share(*classes), limit, evidence.low(*classes), evidence.high(*classes))


def _first(evidence: Evidence) -> WaitClass | None:
    """The largest class that waits for something."""
    waiting: dict[WaitClass, float] = {}
    for wait_class, estimate in evidence.shares.items():
        if wait_class not in ("cpu", "other"):
            waiting[wait_class] = estimate.share
    return max(waiting.items(), key=lambda item: item[1])[0] if waiting else None


def _too_little(evidence: Evidence) -> Finding | None:
    if evidence.source == "nothing":
        return _insufficient("No sampled, told or logged waits: nothing shows where the time goes.")
    if evidence.source != "samples":
        return None
    n, needed = evidence.samples, threshold("diagnosis.samples")
    if n < needed:
        seen = "1 sample" if n == 1 else f"{n} samples"
        return _insufficient(f"Only {seen} of the sessions; {needed:.0f} are the least to judge by.")
    if evidence.sessions < threshold("diagnosis.idle_sessions"):
        return _insufficient(
            f"On average {evidence.sessions:.2g} sessions were at work: the server was idle, "
            "so this window says nothing about its peak."
        )
    if evidence.effective < threshold("diagnosis.effective_samples"):
        return _insufficient(
            f"{n} samples are worth only {evidence.effective:.0f} independent ones: "
            "the load moved slowly during the window, a longer one is needed."
        )
    return None


def _insufficient(reason: str) -> Finding:
    return Finding(verdict="insufficient", certainty=1.0, reason=reason)


def _logged(evidence: Evidence) -> Finding | None:
    """Log lines decide only where nothing better does: no samples, or an idle server."""
    idle = evidence.source == "samples" and evidence.sessions < threshold("diagnosis.idle_sessions")
    if not evidence.log_waits or not (evidence.source == "log" or idle):
        return None
    table = f" of {evidence.tables[0].table}" if evidence.tables else ""
    count = "one wait" if evidence.log_waits == 1 else f"{evidence.log_waits} waits"
    queue = f" with up to {evidence.log_queue} sessions in the queue" if evidence.log_queue else ""
    return Finding(
        verdict="extension",
        certainty=min(1.0, 0.5 + 0.05 * evidence.log_waits),
        reason=f"The log has {count} for the extension lock{table} beyond deadlock_timeout, up to "
        f"{evidence.log_longest_ms / 1000:.1f} s{queue}; how much of the whole time that is, it cannot tell.",
    )


def _storage(evidence: Evidence) -> Finding | None:
    storage, lock = evidence.share(*_STORAGE), evidence.share(*_LOCKS)
    limit = threshold("diagnosis.storage_share")
    if storage <= limit or lock * threshold("diagnosis.storage_over_lock") >= storage:
        return None
    log = evidence.share("wal") > evidence.share("read", "write")
    return Finding(
        verdict="wal" if log else "storage_reads",
        certainty=_clear_of(evidence, limit, *_STORAGE),
        reason=f"{_with_interval(evidence, *_STORAGE)} of the session time waits for storage "
        f"(pages {percent(evidence.share('read', 'write'))}, WAL {percent(evidence.share('wal'))}), "
        f"{percent(lock)} to extend relations or for index leaves: without those the gain would be "
        f"at most {gain.amdahl(lock):.2f} times.",
    )


def _rows(evidence: Evidence) -> Finding | None:
    words = "waits for a row that another transaction holds; a row lives in one partition, whatever the key"
    return _largest(evidence, "row", words)


def _lock_manager(evidence: Evidence) -> Finding | None:
    words = "waits for the tables of locks themselves; more partitions mean more locks"
    return _largest(evidence, "lock_manager", words)


def _client(evidence: Evidence) -> Finding | None:
    return _largest(evidence, "client", "is spent inside transactions waiting for the application")


def _largest(evidence: Evidence, wait_class: WaitClass, words: str) -> Finding | None:
    """Applies when the class is the largest of those that wait, and large enough to be the limit."""
    if _first(evidence) != wait_class or evidence.share(wait_class) < threshold("diagnosis.named_share"):
        return None
    second = max((e.share for c, e in evidence.shares.items() if c not in (wait_class, "cpu", "other")), default=0.0)
    limit = max(second, threshold("diagnosis.named_share"))
    return Finding(
        verdict=_NAMED[wait_class],
        certainty=_clear_of(evidence, limit, wait_class),
        reason=f"{_with_interval(evidence, wait_class)} of the session time {words}.",
    )


def _cpu(evidence: Evidence) -> Finding | None:
    """A full CPU is the limit unless a lock is at work nearly all the time: then the queue limits as well."""
    busy = evidence.cpu_busy
    if busy is None:
        return _runnable(evidence)
    if busy <= threshold("diagnosis.cpu_busy") or gain.lock_works(evidence):
        return None
    queue, shown = evidence.share(*_LOCKS), ""
    if queue > threshold("diagnosis.lock_share"):
        shown = f": the {percent(queue)} in extension and leaf locks are where sessions wait for a core"
    return Finding(
        verdict="cpu",
        certainty=_sure_of_cpu(busy),
        reason=f"The CPU is {percent(busy)} busy{shown}. {_room_in_words(gain.cpu_room(evidence, 'value'))}",
    )


def _room_in_words(room: float) -> str:
    if room < 1.03:
        return "There is nothing left that more concurrency could use."
    return f"Throughput could rise about {room:.2f} times before it is full."


def _sure_of_cpu(busy: float) -> float:
    """Chance that the CPU is on the side of its limit where it was measured."""
    margin = threshold("diagnosis.cpu_busy_margin")
    return certainty(busy, threshold("diagnosis.cpu_busy"), busy - margin, busy + margin)


def _sure_of_queue(evidence: Evidence) -> float:
    """Chance that the queue is the limit, not the CPU: by the CPU's load or by the lock's own work."""
    busy = evidence.cpu_busy
    if busy is None:
        return 1.0
    by_load = _sure_of_cpu(busy) if busy <= threshold("diagnosis.cpu_busy") else 0.0
    if not gain.lock_works(evidence):
        return by_load
    work, margin = gain.lock_work(evidence), threshold("diagnosis.lock_work_margin")
    return max(by_load, certainty(work, threshold("diagnosis.lock_work"), work - margin, work + margin))


def _runnable(evidence: Evidence) -> Finding | None:
    """More sessions without a wait event than cores means a full CPU; fewer say nothing about it."""
    runnable = evidence.share("cpu") * evidence.sessions
    if evidence.cores is None or evidence.source != "samples" or runnable <= evidence.cores:
        return None
    low, high = evidence.low("cpu") * evidence.sessions, evidence.high("cpu") * evidence.sessions
    return Finding(
        verdict="cpu",
        certainty=certainty(runnable, evidence.cores, low, high),
        reason=f"On average {runnable:.1f} sessions are on a core or wait for one of the {evidence.cores} cores.",
    )


def _insert_queue(evidence: Evidence) -> Finding | None:
    limit = threshold("diagnosis.lock_share")
    if evidence.share(*_LOCKS) <= limit:
        return None
    removed: WaitClass = "leaf" if evidence.share("leaf") > evidence.share("extend") else "extend"
    possible = gain.gain_limit(evidence, (removed,))
    if possible.high <= threshold("diagnosis.gain"):
        return None
    certain = min(_clear_of(evidence, limit, *_LOCKS), _sure_of_queue(evidence))
    return Finding(
        verdict="index_leaf" if removed == "leaf" else "extension",
        certainty=certain,
        reason=f"{_with_interval(evidence, removed)} of the session time waits {_for_what(evidence, removed)}. "
        f"With {_cpu_in_words(evidence)}, throughput could rise to about {possible.expected:.2g} times "
        f"if that queue were gone; then the next limit is {waits.queue_name(possible.next_bottleneck)}.",
    )


def _cpu_in_words(evidence: Evidence) -> str:
    busy = evidence.cpu_busy
    if busy is None:
        return "an unknown CPU load"
    if busy <= threshold("diagnosis.cpu_busy"):
        return f"the CPU {percent(busy)} busy"
    return f"the CPU {percent(busy)} busy, but {percent(gain.lock_work(evidence))} of the lock's time spent extending"


def _for_what(evidence: Evidence, queue: WaitClass) -> str:
    if queue == "leaf":
        return "for the contents of one page, most often the right-most leaf of an index"
    top = evidence.tables[0] if evidence.tables and evidence.tables[0].extension_share else None
    if top is None:
        return "to extend a relation"
    owners = {"index": f", an index of {top.table}", "toast": f", the TOAST table of {top.table}"}
    if top.via in owners:
        return f"to extend {top.relation}{owners[top.via]}"
    return f"to extend {top.table}"


def _other_named(evidence: Evidence) -> Finding | None:
    """Nothing above applied, yet one class takes enough of the time to be named."""
    largest = _first(evidence)
    if largest not in _NAMED or evidence.share(largest) < threshold("diagnosis.named_share"):
        return None
    return Finding(
        verdict=_NAMED[largest],
        certainty=_clear_of(evidence, threshold("diagnosis.named_share"), largest),
        reason=f"{_with_interval(evidence, largest)} of the session time goes to {waits.label(largest)}, "
        "more than to any other kind of waiting.",
    )


def _nothing(evidence: Evidence) -> Finding:
    largest, lock = _first(evidence), evidence.share(*_LOCKS)
    most = "no session was seen waiting"
    if largest is not None:
        most = f"the largest wait is {waits.label(largest)} with {percent(evidence.share(largest))} of the session time"
    limit = threshold("diagnosis.lock_share")
    return Finding(
        verdict="none",
        certainty=_clear_of(evidence, limit, *_LOCKS) if 0 < lock < limit else 0.95,
        reason=f"No queue is long enough to matter: {most}.",
    )


_RULES: tuple[Callable[[Evidence], Finding | None], ...] = (
    _logged,
    _too_little,
    _storage,
    _rows,
    _lock_manager,
    _cpu,
    _client,
    _insert_queue,
    _other_named,
)
