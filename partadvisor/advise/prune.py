"""How many leaf partitions a reference to the table leaves, when they are known, and why."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from partadvisor.advise.operands import STAGES, Setting, known
from partadvisor.advise.picks import LevelView, select
from partadvisor.model.advice import PruningStage
from partadvisor.model.scheme import HashLevel, Scheme
from partadvisor.model.workload import AllOf, AnyOf, Comparison, Condition, Not, Opaque


@dataclass(frozen=True, slots=True)
class Touch:
    """Leaves of one reference to the table: ``planned`` stay in the plan, ``executed`` are scanned once it runs."""

    planned: float
    executed: float
    total: int
    when: PruningStage
    why: str


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
        select(condition, LevelView(level, size, types, setting, stage))
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
