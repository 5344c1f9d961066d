"""Which partitions of one level a condition leaves: the planner's partition pruning, predicted.

A condition tree is reduced to a *pick*: a number of partitions and, where all values are constants, which ones. No
pick means that the level is scanned whole.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from partadvisor.advise.operands import STAGES, Setting, known
from partadvisor.advise.placement import partition_of
from partadvisor.advise.range_pick import range_edges, range_width
from partadvisor.model.advice import PruningStage
from partadvisor.model.scheme import HashLevel, Level, ListLevel, RangeLevel
from partadvisor.model.workload import AllOf, AnyOf, Comparison, Condition, Not
from partadvisor.pg import knowledge

Members = frozenset[Hashable]


@dataclass(frozen=True, slots=True)
class Pick:
    """``count`` partitions, expected where it depends on unknown values; ``members`` which ones, when known."""

    count: float
    why: str
    members: Members | None = None


@dataclass(frozen=True, slots=True)
class LevelView:
    """A level with its number of partitions, and what is known about operands at a stage."""

    level: Level
    total: int
    types: Mapping[str, str]
    setting: Setting
    stage: PruningStage

    def usable(self, comparison: Comparison) -> bool:
        """Whether the comparison's operands are known by this stage."""
        key_type = self.types.get(comparison.column)
        if key_type is None or comparison.column not in self.level.columns:
            return False
        method = "hash" if isinstance(self.level, HashLevel) else "btree"
        when = known(comparison, key_type, method, self.setting).when  # type: ignore[arg-type]
        return STAGES.index(when) <= STAGES.index(self.stage)


def select(condition: Condition, at: LevelView) -> Pick | None:
    """The partitions a condition leaves at one level, None for all."""
    match condition:
        case AllOf():
            return _select_all(condition, at)
        case AnyOf(parts=parts):
            common, arms = _factored(parts)
            if common:
                return _select_all(AllOf(parts=(*common, AnyOf(parts=arms)) if arms else common), at)
            return _union([select(part, at) for part in parts], at.total)
        case Not(part=part):
            negated = _negated(part)
            return None if negated is None else select(negated, at)
        case Comparison():
            return _select_all(AllOf(parts=(condition,)), at)
        case _:
            return None


def _flat(condition: AllOf) -> list[Condition]:
    parts: list[Condition] = []
    for part in condition.parts:
        parts += _flat(part) if isinstance(part, AllOf) else [part]
    return parts


def _factored(arms: Sequence[Condition]) -> tuple[tuple[Condition, ...], tuple[Condition, ...]]:
    """Terms that every arm of an OR has, and the arms without them; no arms when one of them is used up.

    The planner takes them out first (find_duplicate_ors in prepqual.c), so an arm may no longer fix every key column.
    """
    flat = [_flat(arm) if isinstance(arm, AllOf) else [arm] for arm in arms]
    common = tuple(t for t in flat[0] if all(t in terms for terms in flat[1:])) if len(flat) > 1 else ()
    if not common:
        return (), tuple(arms)
    rests = [tuple(t for t in terms if t not in common) for terms in flat]
    return common, () if () in rests else tuple(AllOf(parts=rest) for rest in rests)


def _select_all(condition: AllOf, at: LevelView) -> Pick | None:
    """AND: the key's own comparisons together, then every part with a choice of its own; the narrowest wins."""
    parts = _flat(condition)
    comparisons = [p for p in parts if isinstance(p, Comparison) and at.usable(p)]
    picks = [_own(comparisons, at), *(select(p, at) for p in parts if not isinstance(p, Comparison))]
    return _intersection([p for p in picks if p is not None])


def _intersection(picks: Sequence[Pick]) -> Pick | None:
    if not picks:
        return None
    narrowest = min(picks, key=lambda p: p.count)
    exact = [p.members for p in picks if p.members is not None]
    if len(exact) < 2:
        return narrowest
    common = frozenset.intersection(*exact)
    return Pick(min(narrowest.count, float(len(common))), narrowest.why, common)


def _own(comparisons: list[Comparison], at: LevelView) -> Pick | None:
    if isinstance(at.level, HashLevel):
        return _hash(comparisons, at)
    if isinstance(at.level, ListLevel):
        return _list(comparisons, at)
    return _range(comparisons, at.level, at)


def _hash(comparisons: list[Comparison], at: LevelView) -> Pick | None:
    """A hash level prunes only with every key column fixed; several values are allowed for a single column only."""
    fixed = {c.column: c for c in comparisons if c.operator in ("=", "is_null")}
    if set(at.level.columns) <= set(fixed):
        return _one([fixed[c] for c in at.level.columns], at)
    return _several(comparisons, at) if len(at.level.columns) == 1 else None


def _one(fixed: Sequence[Comparison], at: LevelView) -> Pick:
    """Equality on the key: one partition, known when all values are constants."""
    why = _because(fixed)
    values: dict[str, str | None] = {}
    for comparison in fixed:
        if comparison.operator == "is_null":
            values[comparison.column] = None
        elif comparison.operands and comparison.operands[0].kind == "constant":
            if comparison.operands[0].value is None:  # nothing equals NULL
                return Pick(0, why, frozenset())
            values[comparison.column] = comparison.operands[0].value
    if len(values) < len(fixed):
        return Pick(1, why)
    place = partition_of(at.level, values, at.types)
    return Pick(1, why, None if place is None else frozenset((place,)))


def _several(comparisons: list[Comparison], at: LevelView) -> Pick | None:
    """``IN``: constants are placed; of unknown values two may share a hash partition by chance."""
    for comparison in comparisons:
        if comparison.operator != "in":
            continue
        members = _places(comparison, at)
        if members is not None:
            return Pick(float(len(members)), _because([comparison]), members)
        values = _value_count(comparison)
        hashed = isinstance(at.level, HashLevel)
        count = at.total * (1 - (1 - 1 / at.total) ** values) if hashed else values
        return Pick(max(1.0, min(count, at.total)), _because([comparison]))
    return None


def _places(comparison: Comparison, at: LevelView) -> Members | None:
    """Partitions of the listed values, None when one of them is not a constant."""
    if any(o.kind != "constant" for o in comparison.operands):
        return None
    constants = [o.value for o in comparison.operands if o.value is not None]
    places = {partition_of(at.level, {comparison.column: v}, at.types) for v in constants}
    return None if None in places else frozenset(places)


def _value_count(comparison: Comparison) -> float:
    arrays = sum(o.kind in ("array_parameter", "subquery") for o in comparison.operands)
    others = {(o.kind, o.value) for o in comparison.operands if o.kind not in ("array_parameter", "subquery")}
    return max(1.0, len(others) + arrays * float(knowledge.load("read_cost.toml")["array_length"]))


def _list(comparisons: list[Comparison], at: LevelView) -> Pick | None:
    for comparison in comparisons:
        if comparison.operator in ("=", "is_null"):
            return _one([comparison], at)
        if comparison.operator in ("<>", "is_not_null"):
            return Pick(max(1, at.total - 1), _because([comparison]))
    return _several(comparisons, at)


def _range(comparisons: list[Comparison], level: RangeLevel, at: LevelView) -> Pick | None:
    """Only a leading column prunes alone; equalities on a prefix narrow no further in this count."""
    first = [c for c in comparisons if c.column == level.columns[0]]
    picks = [_one([c], at) for c in first if c.operator == "="]
    if (several := _several(first, at)) is not None:
        picks.append(several)
    bounds = [c for c in first if c.operator in ("<", "<=", ">", ">=")]
    if bounds and level.start is None:
        picks.append(_between(bounds, level, at.total))
    return _intersection(picks)


def _between(bounds: list[Comparison], level: RangeLevel, total: int) -> Pick:
    edges = range_edges(bounds, level)
    if edges is None:
        return Pick(range_width(bounds, total), _because(bounds))
    members: Members = frozenset(range(edges[0], min(edges[1], edges[0] + total - 1) + 1))
    return Pick(float(len(members)), _because(bounds), members)


def _union(picks: Sequence[Pick | None], total: int) -> Pick | None:
    """OR: every arm must prune; equal constants are one partition, unknown values may fall into a counted one."""
    found = [p for p in picks if p is not None]
    if not found or len(found) < len(picks):
        return None
    exact = [p.members for p in found if p.members is not None]
    together: Members = frozenset().union(*exact)
    if len(exact) == len(found):
        return Pick(float(len(together)), found[0].why, together)
    count = float(len(together))
    for pick in found:
        if pick.members is None:
            count += pick.count * (1 - count / total)
    return Pick(count, found[0].why)


_OPPOSITE = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "is_null": "is_not_null", "is_not_null": "is_null", "<>": "="}


def _negated(condition: Condition) -> Condition | None:
    """NOT of one comparison as its opposite; other negations do not prune."""
    if isinstance(condition, Comparison) and condition.operator in _OPPOSITE:
        return Comparison(
            column=condition.column,
            operator=_OPPOSITE[condition.operator],  # type: ignore[arg-type]
            operands=condition.operands,
            wrapped=condition.wrapped,
        )
    return None


def _because(comparisons: Iterable[Comparison]) -> str:
    texts = [_spelled(c) for c in comparisons]
    return " and ".join(dict.fromkeys(texts))


def _spelled(comparison: Comparison) -> str:
    kinds = {o.kind for o in comparison.operands}
    if not kinds:
        return f"{comparison.column} {comparison.operator.replace('_', ' ').upper()}"
    noun = {
        "column": "a joined column",
        "subquery": "a subquery",
        "stable": "a stable function",
        "parameter": "a parameter",
        "array_parameter": "an array parameter",
    }.get(next(iter(kinds)), "a constant")
    operator = "IN" if comparison.operator == "in" else comparison.operator
    return f"{comparison.column} {operator} {noun}"
