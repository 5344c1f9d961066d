"""What a major version can do with partitioned tables; the facts are in ``rules/versions.toml``."""

from __future__ import annotations

from partadvisor.pg import knowledge

_FILE = "versions.toml"
_OLD_SLOTS = 16
_SLOTS_PER_GROUP = 16
_MAX_GROUPS = 1024


def has(feature: str, major: int) -> bool:
    """Whether ``feature`` (a name of ``rules/versions.toml``) works on that major.

    Raises:
        KeyError: for a name that is not in the file.
    """
    facts = knowledge.load(_FILE)
    if feature in facts["until"]:
        return bool(major <= facts["until"][feature])
    return bool(major >= facts["since"][feature])


def fast_path_slots(major: int, max_locks_per_transaction: int = 64) -> int:
    """Relation locks a backend can hold without the shared lock table.

    16 up to 17; from 18 on ``max_locks_per_transaction`` rounded up to a power of two of groups of 16
    (InitializeFastPathLocks in postinit.c).
    """
    if not has("fast_path_by_max_locks", major):
        return _OLD_SLOTS
    groups = 1
    while groups < _MAX_GROUPS and groups * _SLOTS_PER_GROUP < max_locks_per_transaction:
        groups *= 2
    return groups * _SLOTS_PER_GROUP
