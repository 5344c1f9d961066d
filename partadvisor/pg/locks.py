"""The lock modes of relations: which conflict, and what a session that holds one keeps others from doing.

The conflict table is that of the manual's chapter on explicit locking; a test asks the server for all 64 pairs.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

AS, RS, RX, SUX = "ACCESS SHARE", "ROW SHARE", "ROW EXCLUSIVE", "SHARE UPDATE EXCLUSIVE"
S, SRX, X, AX = "SHARE", "SHARE ROW EXCLUSIVE", "EXCLUSIVE", "ACCESS EXCLUSIVE"

# weakest first; a mode conflicts with those listed, and the other way round
CONFLICTS: dict[str, frozenset[str]] = {
    AS: frozenset((AX,)),
    RS: frozenset((X, AX)),
    RX: frozenset((S, SRX, X, AX)),
    SUX: frozenset((SUX, S, SRX, X, AX)),
    S: frozenset((RX, SUX, SRX, X, AX)),
    SRX: frozenset((RX, SUX, S, SRX, X, AX)),
    X: frozenset((RS, RX, SUX, S, SRX, X, AX)),
    AX: frozenset((AS, RS, RX, SUX, S, SRX, X, AX)),
}
MODES = tuple(CONFLICTS)
_WORDS = re.compile(r"(?<=[a-z])(?=[A-Z])")


def conflicts(one: str, other: str) -> bool:
    """Whether two sessions cannot hold these modes on one relation at the same time."""
    return other in CONFLICTS[one]


def mode_name(internal: str) -> str:
    """``SHARE UPDATE EXCLUSIVE`` of ``ShareUpdateExclusiveLock``, the spelling of ``pg_locks`` and of the log."""
    return _WORDS.sub(" ", internal.removesuffix("Lock")).upper()


def strongest(modes: Iterable[str]) -> tuple[str, ...]:
    """The modes that the others add nothing to, weakest first: usually one.

    SHARE and SHARE UPDATE EXCLUSIVE, and SHARE and ROW EXCLUSIVE, stay side by side: neither conflicts with all
    that the other conflicts with.
    """
    held = set(modes)
    return tuple(m for m in MODES if m in held and not any(CONFLICTS[m] < CONFLICTS[other] for other in held))


def blocked_statements(modes: Iterable[str]) -> str:
    """What other sessions cannot do while the modes are held, in words; ``nothing`` for the weak ones."""
    held = set(modes)
    if any(conflicts(m, AS) for m in held):
        return "reads and writes"
    if any(conflicts(m, RX) for m in held):
        locking = " and SELECT FOR UPDATE" if any(conflicts(m, RS) for m in held) else ""
        return f"writes{locking}"
    if any(conflicts(m, SUX) for m in held):
        return "schema changes and vacuum"
    return "nothing"
