"""A level as the planner sees it at one stage: which comparisons it can use, and where values fall."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from partadvisor.advise.columns import ColumnFacts
from partadvisor.advise.layout import HashParts, ListParts, OpenParts, Parts
from partadvisor.advise.operands import STAGES, UNKNOWN, Setting, Value, known, value_of
from partadvisor.advise.pick import Pick
from partadvisor.advise.refute import Term, refutes, term_of
from partadvisor.advise.simplify import simplified
from partadvisor.model.advice import PruningStage
from partadvisor.model.scheme import ListLevel
from partadvisor.model.workload import AllOf, Comparison, Condition, Operand
from partadvisor.pg import knowledge
from partadvisor.pg.arrays import array_elements
from partadvisor.pg.hashing.types import base_name
from partadvisor.pg.ordering import equality_key
from partadvisor.pg.type_families import Method, converts

_RANGES = frozenset(["<", "<=", ">", ">="])
_UNUSABLE = frozenset(["like", "other", "is_unknown", "is_not_unknown"])
_BOOLEAN_TESTS = frozenset(["=", "<>", "in", "not_in", "is_unknown", "is_not_unknown"])
_MANY = frozenset(["array_parameter", "subquery"])
_NOUNS: Final = {
    "column": "a joined column",
    "subquery": "a subquery",
    "stable": "a stable function",
    "parameter": "a parameter",
    "array_parameter": "an array parameter",
}


@dataclass(frozen=True, slots=True)
class LevelView:
    """A level, facts of the columns, and what is known about operands at a stage."""

    parts: Parts
    columns: Mapping[str, ColumnFacts]
    setting: Setting
    stage: PruningStage
    places: bool = True  # whether it matters which hash partition a value is in, beside that it is one
    within: Term | None = None  # the constraint of the partition that this level divides, where it counts

    def outside(self, conditions: Sequence[Condition]) -> bool:
        """Whether the conditions contradict the constraint of the partition that the level divides."""
        if self.within is None:
            return False
        term = term_of(AllOf(parts=tuple(conditions)), self.columns, self.setting)
        return term is not None and refutes(self.within, term)

    @property
    def method(self) -> Method:
        """The access method whose operator families count."""
        return "hash" if isinstance(self.parts, HashParts) else "btree"

    @property
    def excludes_values(self) -> bool:
        """Whether ``<>`` prunes: lists alone name values."""
        return isinstance(self.parts, ListParts) or (
            isinstance(self.parts, OpenParts) and isinstance(self.parts.level, ListLevel)
        )

    def usable(self, comparison: Comparison) -> bool:
        """Whether the comparison is with a key column and its operands are known by this stage."""
        facts = self.columns.get(comparison.column)
        if facts is None or comparison.column not in self.parts.columns:
            return False
        if comparison.operator in _UNUSABLE or (comparison.operator in _RANGES and self.method == "hash"):
            return False
        if comparison.operator in ("<>", "not_in") and not self.excludes_values:
            return False
        when = known(comparison, facts, self.method, self.setting).when
        return STAGES.index(when) <= STAGES.index(self.stage)

    def early(self, comparison: Comparison) -> bool:
        """Whether the planner can use it, not only the executor."""
        return replace(self, stage="plan").usable(comparison)

    def simplified(self, comparison: Comparison) -> Comparison:
        """The comparison as the planner writes it."""
        facts = self.columns.get(comparison.column)
        return comparison if facts is None else simplified(comparison, facts, self.setting)

    def hides(self, comparison: Comparison) -> bool:
        """Whether the planner overlooks a test of a boolean.

        It looks for a bare ``b``, ``NOT b`` or ``b IS UNKNOWN`` among the key's columns and gives up at the first one
        that is not boolean, so behind such a column it never prunes.
        """
        facts = self.columns.get(comparison.column)
        if facts is None or base_name(facts.type) != "bool" or comparison.column not in self.parts.columns:
            return False
        if comparison.operator not in _BOOLEAN_TESTS or len(comparison.operands) > 1:
            return False
        late = [
            o for o in comparison.operands if o.kind == "stable" or (o.kind == "parameter" and self.setting.generic)
        ]
        if late:
            return False  # it stays a comparison
        before = self.parts.columns[: self.parts.columns.index(comparison.column)]
        return any(base_name(self.columns[c].type) != "bool" for c in before)

    def elements(self, comparison: Comparison) -> tuple[Operand, ...]:
        """Operands of a list; a known array parameter is its elements."""
        found: list[Operand] = []
        for operand in comparison.operands:
            text = self.setting.values.get(operand.value or "") if operand.kind == "array_parameter" else None
            values = None if text is None else array_elements(text)
            kind, type_name = "constant", (operand.type or "").removesuffix("[]") or None
            if values is None:
                found.append(operand)
            else:
                found += [Operand(kind=kind, value=v, type=type_name) for v in values]  # type: ignore[arg-type]
        return tuple(found)

    def value(self, column: str, operand: Operand) -> Value:
        """What the operand is, ``UNKNOWN`` where the statement does not tell."""
        return value_of(operand, self.columns[column].type, self.setting)

    def is_null(self, column: str, operand: Operand) -> bool:
        """Whether the operand is NULL for sure."""
        return self.value(column, operand).text is None

    def equality(self, column: str, value: Value) -> Hashable:
        """The value as a list level looks for it."""
        facts = self.columns[column]
        return equality_key(value.type or facts.type, str(value.text), () if value.type else facts.labels)

    def order(self, column: str, value: Value) -> Any:
        """The value as a range level looks for it; None when that is not known."""
        if value is UNKNOWN or value.text is None:
            return None
        return self.columns[column].order(value.text, value.type)

    def single(self, comparison: Comparison, operator: str, operand: Operand) -> Comparison:
        """One element of a list as a comparison of its own; what is converted there takes the column's very type."""
        if operand.type is not None and converts(self.columns[comparison.column].type, operand.type):
            operand = Operand(kind=operand.kind, value=operand.value)
        return Comparison(column=comparison.column, operator=operator, operands=(operand,))  # type: ignore[arg-type]

    def has_value(self, parameter: str) -> bool:
        """Whether the planner sees that the parameter is not NULL: in a custom plan it does."""
        return not self.setting.generic and self.setting.values.get(parameter) is not None

    def all_unknown(self, operands: Sequence[Operand]) -> bool:
        """Whether the statement tells none of the values."""
        return all(o.kind != "constant" and o.value not in self.setting.values for o in operands)

    def several_unknown(self, comparison: Comparison, operands: Sequence[Operand]) -> Pick | None:
        """A list of values that are not known: of those two may share a partition by chance."""
        if comparison.column != self.parts.columns[0] or (self.method == "hash" and len(self.parts.columns) > 1):
            return None
        different = {(o.kind, o.value) for o in operands if o.kind not in _MANY}
        arrays = sum(o.kind in _MANY for o in operands)
        values = max(1.0, len(different) + arrays * float(knowledge.load("read_cost.toml")["array_length"]))
        total = self.parts.total
        count = total * (1 - (1 - 1 / total) ** values) if self.method == "hash" else values
        return Pick(max(1.0, min(count, total)), self.because(comparison), None, certain=False)

    def because(self, *comparisons: Comparison) -> str:
        """The comparisons in words."""
        return " and ".join(dict.fromkeys(_spelled(c) for c in comparisons))


def _spelled(comparison: Comparison) -> str:
    kinds = {o.kind for o in comparison.operands}
    operator = comparison.operator.replace("_", " ").upper()
    if not kinds:
        return f"{comparison.column} {operator}"
    return f"{comparison.column} {operator} {_NOUNS.get(next(iter(kinds)), 'a constant')}"
