"""A partitioning scheme: what the user writes as ``hash(w_id) into 16`` or ``range(ts) by month, hash(id) into 8``.

A scheme has one or two levels, outermost first. Text and value convert both ways in
``partadvisor.pg.scheme_text``; the text is the identity of a scheme.
"""

from __future__ import annotations

from typing import Literal

from partadvisor.model.base import Value

Interval = Literal["hour", "day", "week", "month", "quarter", "year"]


class HashLevel(Value, frozen=True, kw_only=True, tag="hash"):
    """``hash(columns) into modulus``: one partition for each remainder 0..modulus-1."""

    columns: tuple[str, ...]
    modulus: int


class RangeLevel(Value, frozen=True, kw_only=True, tag="range"):
    """``range(columns)``: by calendar ``interval``, by numeric ``step``, ``at`` given bounds, or ``start`` ("ahead").

    With ``start`` (text value of the first column) rows below it stay in one partition, the existing table, and
    rows from it on go to the next level (or one new partition). Exactly one of the four is given; ``start`` may be
    ``""`` for "choose it when planning".
    """

    columns: tuple[str, ...]
    interval: Interval | None = None
    step: int | None = None
    at: tuple[str, ...] = ()
    start: str | None = None


class ListLevel(Value, frozen=True, kw_only=True, tag="list"):
    """``list(column)``: one partition a value, or ``values`` groups as given; others go to DEFAULT."""

    columns: tuple[str, ...]
    values: tuple[tuple[str | None, ...], ...] = ()


Level = HashLevel | RangeLevel | ListLevel


class Scheme(Value, frozen=True, kw_only=True):
    """One or two levels, outermost first."""

    levels: tuple[Level, ...]

    @property
    def columns(self) -> tuple[str, ...]:
        """All key columns, outermost level first, each once. A unique constraint has to contain every one."""
        return tuple(dict.fromkeys(c for level in self.levels for c in level.columns))

    @property
    def is_ahead(self) -> bool:
        """True when existing rows stay in one partition and only new rows are spread."""
        first = self.levels[0]
        return isinstance(first, RangeLevel) and first.start is not None
