"""Whether the bounds that a user gives are values of the key's type, in ascending order."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from partadvisor.advise.columns import ColumnFacts, column_facts
from partadvisor.model.catalog import Relation
from partadvisor.model.errors import UsageError
from partadvisor.model.scheme import HashLevel, ListLevel, Scheme
from partadvisor.pg.hashing.types import base_name
from partadvisor.pg.scheme_text import scheme_text

_STRICT = frozenset(["int2", "int4", "int8", "bool", "uuid"])
"""Types of which every spelling is known here."""


def check_bounds(scheme: Scheme, relation: Relation) -> None:
    """Look at every value the scheme names; of types whose values or order only the server knows nothing is said.

    Raises:
        UsageError: a value is not of its column's type, or the bounds of a range do not ascend.
    """
    facts = column_facts(relation)
    for level in scheme.levels:
        if isinstance(level, HashLevel):
            continue
        name = level.columns[0]
        listed = isinstance(level, ListLevel)
        groups = level.values if isinstance(level, ListLevel) else (level.at, (level.start,) if level.start else ())
        values = [v for group in groups for v in group if v is not None]
        keys = [_key(facts[name], value, f'"{name}" of table {relation.qualified_name}') for value in values]
        if not listed and None not in keys:
            _check_order(scheme, values, keys)


def _key(facts: ColumnFacts, value: str, column: str) -> object:
    key = facts.order(value)
    if key is None and base_name(facts.type) in _STRICT:
        raise UsageError(f'"{value}" is no value of column {column}', detail=f"Its type is {facts.type}.")
    return key


def _check_order(scheme: Scheme, values: Sequence[str], keys: Sequence[object]) -> None:
    for (one, low), (other, high) in itertools.pairwise(zip(values, keys, strict=True)):
        if not low < high:  # type: ignore[operator]
            raise UsageError(
                f'invalid scheme "{scheme_text(scheme)}": the bounds do not ascend',
                detail=f"{other} follows {one}.",
                hint="Give the bounds of a range from the smallest to the largest, each once.",
            )
