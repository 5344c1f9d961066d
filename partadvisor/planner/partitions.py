"""The partitions of a scheme: names, bounds and sub-levels, before anything becomes SQL.

Every scheme is made to cover every value: while the old table is mirrored, a row without a partition would fail
in the *client's* statement. Range and list levels therefore end in a DEFAULT partition; hash covers by itself.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import msgspec

from partadvisor.model.base import Value
from partadvisor.model.catalog import Column, Relation
from partadvisor.model.errors import UsageError
from partadvisor.model.scheme import HashLevel, Level, ListLevel, RangeLevel, Scheme
from partadvisor.pg.quote import quote_idents, quote_literal
from partadvisor.planner.calendar import calendar_bounds
from partadvisor.planner.names import leaf_name

BEFORE = "_before"
AFTER = "_after"
"""Of an ahead scheme: the table that was there, and what new rows go to."""
MAX_PARTITIONS = 1000
"""Beyond this planning time and lock counts hurt more than any insert queue (rules of thumb in the facts, 3.2)."""


class Partition(Value, frozen=True, kw_only=True):
    """One partition: plain name, ``FOR VALUES`` text, and its own key and partitions when it is partitioned again.

    ``low`` (included), ``high`` (excluded) and ``values`` say the same as text values of the key column: ``low`` and
    ``high`` of a range, None where it has no end, ``values`` of a list, where None is NULL.
    """

    name: str
    bound: str
    low: str | None = None
    high: str | None = None
    values: tuple[str | None, ...] = ()
    key: str | None = None
    parts: tuple[Partition, ...] = ()

    def leaves(self) -> Iterator[Partition]:
        """Itself, or all leaves below it."""
        if not self.parts:
            yield self
        for part in self.parts:
            yield from part.leaves()

    def tree(self) -> Iterator[Partition]:
        """Itself and everything below it, parents first."""
        yield self
        for part in self.parts:
            yield from part.tree()


class Layout(Value, frozen=True, kw_only=True):
    """The key of the partitioned table and its partitions."""

    key: str
    parts: tuple[Partition, ...]

    @property
    def leaves(self) -> tuple[Partition, ...]:
        """The partitions that hold rows."""
        return tuple(leaf for part in self.parts for leaf in part.leaves())

    @property
    def tree(self) -> tuple[Partition, ...]:
        """All partitions, parents first."""
        return tuple(node for part in self.parts for node in part.tree())


def layout_of(scheme: Scheme, relation: Relation, prefix: str | None = None) -> Layout:
    """The partitions that ``scheme`` makes for ``relation``; in an ahead scheme the table itself is one more.

    Their names begin with ``prefix``, or else with the table's name.

    Raises:
        UsageError: too many partitions, or bounds that cannot be made from what is known of the column.
    """
    levels = scheme.levels
    parts = tuple(_level(levels, relation, prefix or relation.name))
    layout = Layout(key=key_text(levels[0]), parts=parts)
    if len(layout.leaves) > MAX_PARTITIONS:
        raise UsageError(
            f'the scheme makes {len(layout.leaves)} partitions of table "{relation.qualified_name}"',
            detail=f"More than {MAX_PARTITIONS} cost every statement that is not pruned.",
            hint="Choose a longer interval, or fewer hash partitions.",
        )
    return layout


def key_text(level: Level) -> str:
    """The ``PARTITION BY`` text of a level."""
    kind = {HashLevel: "HASH", RangeLevel: "RANGE", ListLevel: "LIST"}[type(level)]
    return f"{kind} ({quote_idents(level.columns)})"


def _level(levels: tuple[Level, ...], relation: Relation, prefix: str) -> Iterator[Partition]:
    level, below = levels[0], levels[1:]
    for part in _bounds(level, relation):
        name = leaf_name(prefix, part.name)
        parts = tuple(_level(below, relation, name)) if below else ()
        yield msgspec.structs.replace(part, name=name, key=key_text(below[0]) if below else None, parts=parts)


def _bounds(level: Level, relation: Relation) -> Iterator[Partition]:
    """The partitions of one level, with the ends of their names only."""
    if isinstance(level, HashLevel):
        for remainder in range(level.modulus):
            bound = f"FOR VALUES WITH (MODULUS {level.modulus}, REMAINDER {remainder})"
            yield Partition(name=f"_p{remainder}", bound=bound)
        return
    if isinstance(level, RangeLevel) and level.start is not None:
        yield Partition(
            name=AFTER, bound=f"FOR VALUES FROM ({quote_literal(level.start)}) TO (MAXVALUE)", low=level.start
        )
        return
    if isinstance(level, ListLevel):
        yield from _list_bounds(level, relation)
    else:
        yield from _range_bounds(level, relation)
    yield Partition(name="_default", bound="DEFAULT")


def _list_bounds(level: ListLevel, relation: Relation) -> Iterator[Partition]:
    groups = level.values or _known_values(column_of(relation, level.columns[0]), relation)
    for number, group in enumerate(groups):
        bound = f"FOR VALUES IN ({', '.join(quote_literal(value) for value in group)})"
        yield Partition(name=f"_p{number}", bound=bound, values=group)


def _known_values(column: Column, relation: Relation) -> tuple[tuple[str | None, ...], ...]:
    statistics = column.statistics
    if statistics is None or statistics.values_hashed or not statistics.most_common:
        raise UsageError(
            f'the values of column "{column.name}" of table "{relation.qualified_name}" are not known',
            hint=f"Name them: list({column.name}) in ((…), (…)), or ANALYZE the table and collect again.",
        )
    return tuple((value,) for value, _ in statistics.most_common)


def _range_bounds(level: RangeLevel, relation: Relation) -> Iterator[Partition]:
    if level.at:
        first, last = (", ".join([word] * len(level.columns)) for word in ("MINVALUE", "MAXVALUE"))
        others = ", MINVALUE" * (len(level.columns) - 1)  # the bounds given are of the first column
        for number, (low, high) in enumerate(itertools.pairwise((None, *level.at, None))):
            start = first if low is None else quote_literal(low) + others
            end = last if high is None else quote_literal(high) + others
            yield Partition(name=f"_p{number}", bound=f"FOR VALUES FROM ({start}) TO ({end})", low=low, high=high)
        return
    column = column_of(relation, level.columns[0])
    for label, low, high in calendar_bounds(level, column, relation.qualified_name):
        bound = f"FOR VALUES FROM ({quote_literal(low)}) TO ({quote_literal(high)})"
        yield Partition(name=f"_p{label}", bound=bound, low=low, high=high)


def column_of(relation: Relation, name: str) -> Column:
    """The column of that name.

    Raises:
        UsageError: there is none.
    """
    column = relation.column(name)
    if column is None:
        raise UsageError(
            f'column "{name}" of table "{relation.qualified_name}" does not exist',
            hint=f"Its columns are: {', '.join(c.name for c in relation.columns)}.",
        )
    return column
