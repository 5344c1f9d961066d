"""What a reference to a table demands, without whose statement it is: many queries share a few shapes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from partadvisor.advise.equivalence import completed_conditions
from partadvisor.advise.movement import moved_by
from partadvisor.advise.subject import Subject, Use
from partadvisor.model.workload import Condition, SortKey

_WRITING = ("update", "delete", "merge")


class Shape(NamedTuple):
    """One kind of reference. ``order`` is empty when its rows are wanted in no order a scan can give.

    ``moves`` are the columns it sets, so far as a change of them is meant. ``limit_rows`` is None for a parameter.
    """

    condition: Condition
    writes: bool
    order: tuple[SortKey, ...]
    sorts: bool
    limited: bool
    limit_rows: float | None
    moves: tuple[str, ...]


class Shapes:
    """The shapes of a table's uses, each once, and of which ones each use consists. INSERTs have none."""

    def __init__(self, subject: Subject) -> None:
        self._subject = subject
        self._numbers: dict[Shape, int] = {}
        self.of_uses = [self._of(use) for use in subject.uses]

    def __iter__(self) -> Iterator[Shape]:
        return iter(self._numbers)

    def _of(self, use: Use) -> tuple[int, ...]:
        pattern = use.family.pattern
        conditions = completed_conditions(pattern.tables if pattern else use.accesses)
        names = [c.name for c in self._subject.relation.columns]
        shapes = (
            Shape(
                condition=conditions[a.alias],
                writes=a.role in _WRITING,
                order=() if a.grouped or not a.order_complete else a.order_by,
                sorts=bool(a.order_by),
                limited=a.limited and not a.grouped,
                limit_rows=a.limit_rows,
                moves=moved_by(a, self._subject.relation, names),
            )
            for a in use.accesses
            if a.role != "insert"
        )
        return tuple(self._numbers.setdefault(shape, len(self._numbers)) for shape in shapes)
