"""Which types compare through one operator family, and which have no operator class at all (``rules/types.toml``).

Pruning works only when the comparison operator belongs to the partition key's operator family.
"""

from __future__ import annotations

from typing import Literal

from partadvisor.pg import knowledge
from partadvisor.pg.hashing.types import base_name

Method = Literal["hash", "btree"]
_FILE = "types.toml"


def comparable(key_type: str, other_type: str, method: Method) -> bool:
    """Whether ``key = value`` of these types is an operator of the key's family for that access method."""
    key, other = base_name(key_type), base_name(other_type)
    return key == other or any(key in f and other in f for f in knowledge.load(_FILE)["families"][method])


def stable_comparison(key_type: str, other_type: str) -> bool:
    """Whether comparing the two depends on the session's time zone (so pruning waits for execution)."""
    pair = {base_name(key_type), base_name(other_type)}
    return any(pair == set(p) for p in knowledge.load(_FILE)["families"]["stable"])


def has_class(type_name: str, method: Method) -> bool:
    """Whether the type has a default operator class of that access method; unknown types count as having one."""
    return base_name(type_name) not in knowledge.load(_FILE)["no_class"][method]
