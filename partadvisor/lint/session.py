"""The session a script runs in, at one point: transaction, timeouts, search path, locks held."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from partadvisor.model.ddl import LockMode


@dataclass(frozen=True, slots=True, kw_only=True)
class Lock:
    """A lock on a relation. ``role`` as in the lock tables: target, parent, partition, default, referenced.

    ``work`` is what the statement does while it holds it: reads all rows, writes them anew, builds an index, or waits
    for other transactions. ``statement`` is the position of the one that took it. ``certain`` is false when it depends
    on what the catalog holds and nothing is known of it.
    """

    relation: str
    role: str
    mode: LockMode
    work: Literal["", "scan", "rewrite", "index build", "wait"] = ""
    statement: int = -1
    certain: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """A setting given by the script: ``value`` as written, ``local`` by SET LOCAL, ``statement`` where."""

    value: str
    local: bool
    statement: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TransactionState:
    """An open transaction; ``start`` is the position of its BEGIN, -1 when a tool or ``--in-transaction`` opened it."""

    kind: Literal["explicit", "tool", "routine"]
    start: int
    number: int
    savepoints: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """The state before a statement. ``transaction`` None: each statement commits by itself.

    ``held`` are locks that earlier statements of the open transaction took; ``live`` those of them on relations that
    others used when they were taken.
    """

    transaction: TransactionState | None = None
    settings: Mapping[str, Setting] = field(default_factory=dict)
    held: tuple[Lock, ...] = ()
    live: tuple[Lock, ...] = ()
    search_path: tuple[str, ...] = ("public",)

    def timeout_ms(self, name: str) -> float | None:
        """``lock_timeout``, ``statement_timeout``, … in ms; 0 is off, None: the script has not set it."""
        setting = self.settings.get(name)
        return None if setting is None else milliseconds(setting.value)


_UNITS = {"us": 0.001, "ms": 1.0, "s": 1000.0, "min": 60_000.0, "h": 3_600_000.0, "d": 86_400_000.0, "": 1.0}


def milliseconds(text: str) -> float | None:
    """A time as SET takes it (``2s``, ``500``), in ms; None when it is no time."""
    text = text.strip()
    digits = text.rstrip("usminhd ")
    factor = _UNITS.get(text[len(digits) :].strip())
    try:
        return None if factor is None else float(digits) * factor
    except ValueError:
        return None
