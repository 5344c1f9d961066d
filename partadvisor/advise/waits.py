"""Which class of wait an event belongs to; the classes and spellings are data in ``rules/wait_events.toml``."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import Literal, cast, get_args

from partadvisor.model.activity import ActivitySample
from partadvisor.pg import knowledge

WaitClass = Literal["extend", "read", "write", "wal", "row", "leaf", "lock_manager", "xid", "client", "cpu", "other"]
CLASSES: tuple[WaitClass, ...] = get_args(WaitClass)
IDLE_IN_TRANSACTION = "idle in transaction"
_RULES = "wait_events.toml"
_QUEUE_NAMES = {
    "cpu": "the CPU",
    "wal": "WAL",
    "storage_reads": "page reads",
    "storage_writes": "page writes",
    "row_locks": "row locks",
    "index_leaf": "index leaf pages",
    "lock_manager": "the lock manager",
    "client": "the clients themselves",
    "extension": "the extension lock of the fullest partition",
    "transaction_ids": "transaction ids",
}


def classify(event: str) -> WaitClass:
    """The class of an event spelled ``type:event`` by any version; ``CPU`` stands for no event."""
    known = _classes().get(event)
    if known is not None:
        return known
    types = knowledge.load(_RULES)["types"]
    return cast("WaitClass", types.get(event.partition(":")[0], "other"))


def label(wait_class: str) -> str:
    """Name of a class for people."""
    return str(knowledge.load(_RULES)["class"].get(wait_class, {}).get("label", wait_class))


def events_of(major: int) -> dict[str, WaitClass]:
    """Every listed event that PostgreSQL ``major`` can report."""
    return {
        event["name"]: cast("WaitClass", name)
        for name, entry in knowledge.load(_RULES)["class"].items()
        for event in entry["events"]
        if event.get("from", 0) <= major <= event.get("to", major)
    }


def by_class(events: Mapping[str, float]) -> dict[WaitClass, float]:
    """Sums event counts (or shares) by class; classes that do not occur are left out."""
    sums: dict[WaitClass, float] = {}
    for event, count in events.items():
        wait_class = classify(event)
        sums[wait_class] = sums.get(wait_class, 0.0) + count
    return sums


def event_shares(samples: Sequence[ActivitySample]) -> dict[str, float]:
    """Share of active session time by event (0..1), largest first; sessions idle in a transaction do not count."""
    sums: dict[str, float] = {}
    for sample in samples:
        for event, count in sample.waits.items():
            sums[event] = sums.get(event, 0.0) + count
    total = sum(sums.values())
    return {event: count / total for event, count in sorted(sums.items(), key=lambda item: -item[1])}


@functools.cache
def _classes() -> dict[str, WaitClass]:
    rules = knowledge.load(_RULES)
    named = {event["name"]: name for name, entry in rules["class"].items() for event in entry["events"]}
    return {"CPU": rules["no_event"], IDLE_IN_TRANSACTION: "client", **named}


def queue_name(name: str) -> str:
    """Words for a next bottleneck."""
    return _QUEUE_NAMES.get(name, name.replace("_", " "))
