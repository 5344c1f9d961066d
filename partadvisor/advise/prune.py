"""How many leaf partitions a condition leaves, and when: the planner's partition pruning, predicted.

A condition tree is reduced to a *pick* for each level: a number of partitions and, where constants allow it, which.
No pick means that the level is scanned whole.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from partadvisor.advise.operands import STAGES, Setting, known
from partadvisor.advise.range_pick import range_width
from partadvisor.model.advice import PruningStage
from partadvisor.model.scheme import HashLevel, Level, ListLevel, RangeLevel, Scheme
from partadvisor.model.workload import AllOf, AnyOf, Comparison, Condition, Not, Opaque
from partadvisor.pg import knowledge


@dataclass(frozen=True, slots=True)
class Touch:
    """Leaves of one reference to the table: ``planned`` stay in the plan, ``executed`` are scanned once it runs."""

    planned: float
    executed: float
    total: int
    when: PruningStage
    why: str


@dataclass(frozen=True, slots=True)
class _Pick:
    count: float
    why: str
    members: frozenset[str] | None = None  # text values, when all are constants


@dataclass(frozen=True, slots=True)
class _Level:
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


def touch(
    condition: Condition, scheme: Scheme, sizes: Sequence[int], types: Mapping[str, str], setting: Setting
) -> Touch:
    """Leaves that one reference with this condition touches under ``scheme``.

    Args:
        condition: what the statement demands of the table's own columns, equalities from joins included.
        scheme: the candidate.
        sizes: number of partitions of each level, outermost first.
        types: base type of each column.
        setting: version, kind of statement and of plan.
    """
    by_stage = {stage: _leaves(condition, scheme, sizes, types, setting, stage) for stage in STAGES[:3]}
    total = leaf_count(scheme, sizes)
    planned, _ = by_stage["plan"]
    executed, why = by_stage["loop"]
    if executed >= total:
        return Touch(total, total, total, "never", _why_not(condition, scheme, types, setting))
    when = next(stage for stage in STAGES if by_stage[stage][0] <= executed)
    return Touch(planned, executed, total, when, why)


def leaf_count(scheme: Scheme, sizes: Sequence[int]) -> int:
    """Number of leaves: the product of the levels; of an "ahead" scheme the old table and the new leaves."""
    product = 1
    for size in sizes:
        product *= size
    return 1 + product // 2 if scheme.is_ahead and len(sizes) > 1 else product


def _leaves(
    condition: Condition,
    scheme: Scheme,
    sizes: Sequence[int],
    types: Mapping[str, str],
    setting: Setting,
    stage: PruningStage,
) -> tuple[float, str]:
    picks = [
        _select(condition, _Level(level, size, types, setting, stage))
        for level, size in zip(scheme.levels, sizes, strict=True)
    ]
    counts = [size if pick is None else min(pick.count, size) for pick, size in zip(picks, sizes, strict=True)]
    why = "; ".join(dict.fromkeys(pick.why for pick in picks if pick is not None))
    if scheme.is_ahead and len(counts) > 1:
        return (counts[1] if counts[0] <= 1 else 1 + counts[1]), why
    product = 1.0
    for count in counts:
        product *= count
    return product, why


def _select(condition: Condition, at: _Level) -> _Pick | None:
    """The partitions a condition leaves at one level, None for all."""
    match condition:
        case AllOf():
            return _select_all(condition, at)
        case AnyOf(parts=parts):
            return _union([_select(part, at) for part in parts])
        case Not(part=part):
            negated = _negated(part)
            return None if negated is None else _select(negated, at)
        case Comparison():
            return _select_all(AllOf(parts=(condition,)), at)
        case _:
            return None


def _flat(condition: AllOf) -> list[Condition]:
    parts: list[Condition] = []
    for part in condition.parts:
        parts += _flat(part) if isinstance(part, AllOf) else [part]
    return parts


def _select_all(condition: AllOf, at: _Level) -> _Pick | None:
    """AND: the key's own comparisons together, then every part with a choice of its own; the narrowest wins."""
    parts = _flat(condition)
    comparisons = [p for p in parts if isinstance(p, Comparison) and at.usable(p)]
    picks = [_own(comparisons, at), *(_select(p, at) for p in parts if not isinstance(p, Comparison))]
    found = [p for p in picks if p is not None]
    return min(found, key=lambda p: p.count) if found else None


def _own(comparisons: list[Comparison], at: _Level) -> _Pick | None:
    if isinstance(at.level, HashLevel):
        return _hash(comparisons, at)
    if isinstance(at.level, ListLevel):
        return _list(comparisons, at)
    return _range(comparisons, at.level, at)


def _hash(comparisons: list[Comparison], at: _Level) -> _Pick | None:
    """A hash level prunes only with every key column fixed; several values are allowed for a single column only."""
    fixed = {c.column: c for c in comparisons if c.operator in ("=", "is_null")}
    if set(at.level.columns) <= set(fixed):
        return _Pick(1, _because(fixed[c] for c in at.level.columns), _member(fixed, at))
    if len(at.level.columns) == 1:
        return _several(comparisons, at)
    return None


def _member(fixed: Mapping[str, Comparison], at: _Level) -> frozenset[str] | None:
    if len(at.level.columns) != 1:
        return None
    operands = fixed[at.level.columns[0]].operands
    if len(operands) == 1 and operands[0].kind == "constant" and operands[0].value is not None:
        return frozenset((operands[0].value,))
    return None


def _several(comparisons: list[Comparison], at: _Level) -> _Pick | None:
    """``IN``: at most one partition for each different value; random values may share one."""
    for comparison in comparisons:
        if comparison.operator == "in":
            values = _value_count(comparison)
            count = at.total * (1 - (1 - 1 / at.total) ** values) if isinstance(at.level, HashLevel) else values
            constants = {o.value for o in comparison.operands if o.kind == "constant" and o.value is not None}
            members = frozenset(constants) if len(constants) == len(comparison.operands) else None
            return _Pick(max(1.0, min(count, at.total)), _because([comparison]), members)
    return None


def _value_count(comparison: Comparison) -> float:
    arrays = sum(o.kind in ("array_parameter", "subquery") for o in comparison.operands)
    others = {(o.kind, o.value) for o in comparison.operands if o.kind not in ("array_parameter", "subquery")}
    return max(1.0, len(others) + arrays * float(knowledge.load("read_cost.toml")["array_length"]))


def _list(comparisons: list[Comparison], at: _Level) -> _Pick | None:
    for comparison in comparisons:
        if comparison.operator in ("=", "is_null"):
            return _Pick(1, _because([comparison]), _member({comparison.column: comparison}, at))
        if comparison.operator in ("<>", "is_not_null"):
            return _Pick(max(1, at.total - 1), _because([comparison]))
    return _several(comparisons, at)


def _range(comparisons: list[Comparison], level: RangeLevel, at: _Level) -> _Pick | None:
    """Only a leading column prunes alone; equalities on a prefix narrow no further in this count."""
    first = [c for c in comparisons if c.column == level.columns[0]]
    for comparison in first:
        if comparison.operator == "=":
            return _Pick(1, _because([comparison]), None)
    if (several := _several(first, at)) is not None:
        return several
    bounds = [c for c in first if c.operator in ("<", "<=", ">", ">=")]
    if not bounds or level.start is not None:
        return None
    return _Pick(range_width(bounds, level, at.total), _because(bounds))


def _union(picks: Sequence[_Pick | None]) -> _Pick | None:
    """OR: every arm must prune; equal constants are one partition."""
    found = [p for p in picks if p is not None]
    if not found or len(found) < len(picks):
        return None
    members = [p.members for p in found]
    if None not in members:
        together = frozenset().union(*(m for m in members if m is not None))
        return _Pick(float(len(together)), found[0].why, together)
    return _Pick(sum(p.count for p in found), found[0].why)


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


def _because(comparisons: object) -> str:
    texts = [_spelled(c) for c in comparisons]  # type: ignore[attr-defined]
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


def _why_not(condition: Condition, scheme: Scheme, types: Mapping[str, str], setting: Setting) -> str:
    """Why nothing is pruned: the first comparison with a key column that could not be used, else what is missing."""
    method = "hash" if isinstance(scheme.levels[-1], HashLevel) else "btree"
    for comparison in comparisons_of(condition):
        if comparison.column in scheme.columns:
            reason = known(comparison, types.get(comparison.column, "text"), method, setting)  # type: ignore[arg-type]
            if reason.when == "never":
                return reason.why
            if method == "hash" and comparison.operator not in ("=", "in", "is_null"):
                return f"{comparison.column} {comparison.operator.replace('_', ' ')}: hash prunes on equality only"
    pinned = {c.column for c in comparisons_of(condition)}
    missing = [c for c in scheme.columns if c not in pinned]
    return f"no condition on {', '.join(missing)}" if missing else "the condition on the key is inside an OR or NOT"


def comparisons_of(condition: Condition) -> list[Comparison]:
    """Every comparison of the tree, wherever it stands."""
    match condition:
        case AllOf(parts=parts) | AnyOf(parts=parts):
            return [c for part in parts for c in comparisons_of(part)]
        case Not(part=part):
            return comparisons_of(part)
        case Opaque():
            return []
        case _:
            return [condition]


def with_comparisons(condition: Condition, more: Sequence[Comparison]) -> Condition:
    """``condition`` AND ``more``."""
    return AllOf(parts=(condition, *more)) if more else condition


def as_generic(setting: Setting) -> Setting:
    """The same with a generic plan."""
    return replace(setting, generic=True)
