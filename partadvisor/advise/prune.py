"""How many leaf partitions a reference to the table leaves, when they are known, and why."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from partadvisor.advise.conditions import comparisons_of
from partadvisor.advise.operands import Setting, known
from partadvisor.advise.picks import LevelView, select
from partadvisor.model.advice import PruningStage
from partadvisor.model.scheme import HashLevel, Scheme
from partadvisor.model.workload import Condition


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
    total = leaf_count(scheme, sizes)
    executed, why = _leaves(condition, scheme, sizes, types, setting, "loop")
    if executed >= total:
        return Touch(total, total, total, "never", _why_not(condition, scheme, types, setting))
    planned, _ = _leaves(condition, scheme, sizes, types, setting, "plan")
    if planned <= executed:
        return Touch(planned, executed, total, "plan", why)
    started, _ = _leaves(condition, scheme, sizes, types, setting, "start")
    return Touch(planned, executed, total, "start" if started <= executed else "loop", why)


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
