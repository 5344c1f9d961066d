"""Whether two partition bounds certainly overlap; literals that ``proofs`` cannot order do not."""

from __future__ import annotations

from math import gcd

from partadvisor.lint.proofs import ordered
from partadvisor.lint.tables import Table
from partadvisor.lint.type_change import parts_of
from partadvisor.model.ddl_parts import Bound

_TEXTS = ("text", "character varying", "character", "uuid", "bytea", "inet")
"""Types whose literals may look like numbers or dates and do not sort like them."""


def overlap(one: Bound, other: Bound, parent: Table) -> bool:
    """True only when it is sure that some value belongs to both."""
    if one.strategy != other.strategy:
        return False
    if one.strategy == "default":
        return True
    if one.strategy == "list":
        return bool(set(one.values) & set(other.values))
    if one.strategy == "hash":
        return _same_remainder(one, other)
    return _comparable(parent) and _before(one.lower, other.upper) and _before(other.lower, one.upper)


def _same_remainder(one: Bound, other: Bound) -> bool:
    step = gcd(one.modulus, other.modulus)
    return bool(step) and one.remainder % step == other.remainder % step


def _comparable(parent: Table) -> bool:
    columns = parent.partition_by.columns if parent.partition_by else ()
    column = parent.columns.get(columns[0] or "") if len(columns) == 1 else None
    return column is None or parts_of(column.type)[0] not in _TEXTS


def _before(low: tuple[str, ...], high: tuple[str, ...]) -> bool:
    """Whether a lower bound lies below an upper one, by their first columns."""
    if not low or not high or high[0] == "MINVALUE" or low[0] == "MAXVALUE":
        return False
    if low[0] == "MINVALUE" or high[0] == "MAXVALUE":
        return True
    return ordered(low[0], high[0], equal=False)
