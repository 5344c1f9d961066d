"""The partition a constant belongs to: the same label for constants of one partition."""

from __future__ import annotations

import functools
from collections.abc import Hashable, Mapping

from partadvisor.advise.range_buckets import bucket_of
from partadvisor.model.errors import PartadvisorError
from partadvisor.model.scheme import HashLevel, Level, ListLevel


def partition_of(level: Level, values: Mapping[str, str | None], types: Mapping[str, str]) -> Hashable:
    """A label of the partition at this level, None where it cannot be told.

    Args:
        level: hash, range or list.
        values: constants of the key columns as text; a hash level needs all of them.
        types: base type of each column.
    """
    if isinstance(level, HashLevel):
        if not set(level.columns) <= set(values):
            return None
        return _remainder(
            tuple(types[c] for c in level.columns), tuple(values[c] for c in level.columns), level.modulus
        )
    first = values.get(level.columns[0])
    if isinstance(level, ListLevel):
        return _group(first, level)
    return bucket_of(first, level)


def _group(value: str | None, level: ListLevel) -> Hashable:
    """The group that holds the value; without groups each value is one."""
    if not level.values:
        return ("value", value)
    return next((i for i, group in enumerate(level.values) if value in group), "default")


@functools.lru_cache(maxsize=65_536)
def _remainder(types: tuple[str, ...], values: tuple[str | None, ...], modulus: int) -> int | None:
    from partadvisor.pg.hashing.routing import route_hash

    try:
        return int(route_hash(types, [[v] for v in values], modulus)[0])
    except PartadvisorError:  # a spelling or a type that only the server can hash
        return None
