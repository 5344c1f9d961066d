"""Pruning of many queries under many schemes: what differs in nothing a key could see is looked at once.

A query's condition is taken apart at its ANDs. Of a scheme only the parts that mention its key count, and parts that
differ in nothing but the numbers of their parameters are one; so thousands of queries come down to a few shapes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from partadvisor.advise.columns import ColumnFacts
from partadvisor.advise.conditions import comparisons_of
from partadvisor.advise.operands import Setting
from partadvisor.advise.picks import flat
from partadvisor.advise.prune import Touch, Tree, touch_consistent
from partadvisor.advise.refute import contradictory
from partadvisor.model.workload import AllOf, Comparison, Condition, Operand

_Part = tuple[int, frozenset[str]]
_NEVER = "the conditions contradict each other, or nothing equals NULL"


@dataclass(eq=False, slots=True)
class Demand:
    """One reference to the table: numbers and columns of its parts. ``never``: no row can fulfil it."""

    parts: tuple[_Part, ...]
    writes: bool
    never: bool
    about: dict[frozenset[str], tuple[int, ...]] = field(default_factory=dict)

    def seen_by(self, keys: frozenset[str]) -> tuple[int, ...]:
        """The parts that mention a key column, and whether rows are changed as the last number."""
        found = (*[n for n, columns in self.parts if not keys.isdisjoint(columns)], -int(self.writes))
        self.about[keys] = found if not self.never else (-2,)
        return self.about[keys]


class Predictor:
    """Pruning under the schemes of one table, in plans of one kind.

    Args:
        columns: facts of the table's columns.
        major: of the server.
        generic: whether plans are generic ones.
    """

    def __init__(self, columns: Mapping[str, ColumnFacts], major: int, *, generic: bool = False) -> None:
        self._columns = columns
        self._settings = [Setting(major, writes, generic) for writes in (False, True)]
        self._numbers: dict[object, int] = {}
        self._conditions: list[Condition] = []

    def demand(self, condition: Condition, writes: bool = False) -> Demand:
        """What a query demands of the table, ready to be looked at under many schemes."""
        parts = flat(condition) if isinstance(condition, AllOf) else [condition]
        never = self._may_contradict(condition) and contradictory(condition, self._columns, self._settings[writes])
        return Demand(tuple(self._part(part) for part in parts), writes, never)

    def touches(self, demands: Iterable[Demand], tree: Tree) -> list[Touch]:
        """The leaves each demand touches."""
        keys = frozenset(tree.columns)
        known: dict[tuple[int, ...], Touch] = {}
        found = []
        for demand in demands:
            about = demand.about.get(keys) or demand.seen_by(keys)
            touched = known.get(about)
            if touched is None:
                touched = known[about] = self._touch(about, demand, tree)
            found.append(touched)
        return found

    def _touch(self, about: tuple[int, ...], demand: Demand, tree: Tree) -> Touch:
        if demand.never:
            return Touch(0, 0, tree.total, "plan", _NEVER)
        condition = AllOf(parts=tuple(self._conditions[n] for n in about[:-1]))
        return touch_consistent(condition, tree, self._columns, self._settings[demand.writes])

    def _may_contradict(self, condition: Condition) -> bool:
        """Whether it is worth a closer look: comparisons of different columns with values do not contradict."""
        seen: set[str] = set()
        for one in comparisons_of(condition):
            facts = self._columns.get(one.column)
            empty = one.operator in ("in", "not_in") and not one.operands
            null = any(o.kind == "constant" and o.value is None for o in one.operands)
            if one.column in seen or empty or null or (one.operator == "is_null" and facts and facts.not_null):
                return True
            seen.add(one.column)
        return False

    def _part(self, part: Condition) -> _Part:
        """The part's number, the same for parts that differ in the number of their one parameter only."""
        name = _shape(part) if isinstance(part, Comparison) and len(part.operands) == 1 else part
        number = self._numbers.get(name)
        if number is None:
            number = self._numbers[name] = len(self._conditions)
            self._conditions.append(part)
        columns = (part.column,) if isinstance(part, Comparison) else (c.column for c in comparisons_of(part))
        return number, frozenset(columns)


def _shape(part: Comparison) -> object:
    operand: Operand = part.operands[0]
    value = None if operand.kind in ("parameter", "array_parameter") else operand.value
    said = (operand.kind, value, operand.type, operand.collation)
    return part.column, part.operator, said, part.wrapped, part.cast, part.is_test
