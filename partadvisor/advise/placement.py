"""The hash partition of a key whose values are known."""

from __future__ import annotations

import functools
from collections.abc import Mapping

from partadvisor.advise.columns import ColumnFacts
from partadvisor.advise.operands import Value
from partadvisor.model.errors import PartadvisorError
from partadvisor.pg.hashing.types import is_hashable
from partadvisor.pg.ordering import output_text
from partadvisor.pg.type_families import comparable


def remainder_of(values: Mapping[str, Value | None], columns: Mapping[str, ColumnFacts], modulus: int) -> int | None:
    """The remainder of a key, None where only the server can tell it.

    Args:
        values: of every key column in order; None for IS NULL.
        columns: facts of the columns.
        modulus: number of partitions.
    """
    types, texts = [], []
    for name, value in values.items():
        facts = columns[name]
        type_name = facts.type
        if value is not None and value.type is not None and comparable(type_name, value.type, "hash"):
            type_name = value.type
        if not is_hashable(type_name, deterministic=facts.comparable):
            return None
        types.append(type_name)
        texts.append(None if value is None or value.text is None else output_text(type_name, value.text))
    return _remainder(tuple(types), tuple(texts), modulus)


@functools.lru_cache(maxsize=65_536)
def _remainder(types: tuple[str, ...], texts: tuple[str | None, ...], modulus: int) -> int | None:
    from partadvisor.pg.hashing.routing import route_hash

    try:
        return int(route_hash(types, [[t] for t in texts], modulus)[0])
    except PartadvisorError:  # a spelling that only the server can read
        return None
