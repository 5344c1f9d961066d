"""Which types compare through one operator family, and which have no operator class at all (``rules/types.toml``).

Pruning works only when the comparison operator belongs to the partition key's operator family.
"""

from __future__ import annotations

import functools
from typing import Literal

from partadvisor.pg import knowledge
from partadvisor.pg.hashing.types import base_name

Method = Literal["hash", "btree"]
_FILE = "types.toml"
_PRUNING = "pruning.toml"


@functools.cache
def comparable(key_type: str, other_type: str, method: Method) -> bool:
    """Whether ``key = value`` of these types is an operator of the key's family for that access method."""
    key, other = base_name(key_type), base_name(other_type)
    return (
        key == other
        or same_name(key, other)
        or any(key in f and other in f for f in knowledge.load(_FILE)["families"][method])
    )


@functools.cache
def stable_comparison(key_type: str, other_type: str) -> bool:
    """Whether comparing the two depends on the session's time zone (so pruning waits for execution)."""
    pair = {base_name(key_type), base_name(other_type)}
    return any(pair == set(p) for p in knowledge.load(_FILE)["families"]["stable"])


def has_class(type_name: str, method: Method) -> bool:
    """Whether the type has a default operator class of that access method; unknown types count as having one."""
    return base_name(type_name) not in knowledge.load(_FILE)["no_class"][method]


@functools.cache
def converts(key_type: str, other_type: str) -> bool:
    """Whether a value of the other type is converted to the key's, which leaves the key as it is."""
    return base_name(other_type) in knowledge.load(_PRUNING)["casts"].get(base_name(key_type), ())


def converted_to(key_type: str) -> str | None:
    """The type a value is converted to when it is not the key's own but one of its family."""
    found: str | None = knowledge.load(_PRUNING)["casts_to"].get(base_name(key_type))
    return found


def converts_late(key_type: str, other_type: str) -> bool:
    """Whether that conversion depends on the session's time zone."""
    return base_name(other_type) in knowledge.load(_PRUNING)["casts_stable"].get(base_name(key_type), ())


@functools.cache
def same_name(one: str, other: str) -> bool:
    """Whether two names can mean one type: a statement may leave the schema out, the catalog does not."""
    return one == other or (("." in one) != ("." in other) and one.rsplit(".", 1)[-1] == other.rsplit(".", 1)[-1])


def keeps_value(key_type: str, to: str) -> bool:
    """Whether a cast of the key leaves it the same value of the same operator family: then it still prunes."""
    key, other = base_name(key_type), base_name(to)
    return same_name(key, other) or [key, other] in knowledge.load(_PRUNING)["relabel"]["pairs"]
