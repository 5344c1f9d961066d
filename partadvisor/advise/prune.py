"""How many leaf partitions a reference to the table leaves, when they are known, and why."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from partadvisor.advise.columns import ColumnFacts
from partadvisor.advise.conditions import comparisons_of, with_one_value_each
from partadvisor.advise.constraint import constraint_of
from partadvisor.advise.layout import HashParts, Parts, count_of, has_default, numbers_of, parts_of
from partadvisor.advise.level_view import LevelView
from partadvisor.advise.operands import Setting, known
from partadvisor.advise.pick import Pick
from partadvisor.advise.picks import select
from partadvisor.advise.refute import contradictory
from partadvisor.model.advice import PruningStage
from partadvisor.model.scheme import Scheme
from partadvisor.model.workload import Comparison, Condition

_EARLY = frozenset(["constant", "parameter", "array_parameter"])
_PLAIN = frozenset([None, "integer", "bigint", "boolean"])


@dataclass(frozen=True, slots=True)
class Touch:
    """Leaves of one reference to the table: ``planned`` stay in the plan, ``executed`` are scanned once it runs.

    ``certain`` is false where ``executed`` is an estimate, because it depends on values the statement does not tell;
    ``planned_certain`` is about ``planned``.
    """

    planned: float
    executed: float
    total: int
    when: PruningStage
    why: str
    certain: bool = True
    planned_certain: bool = True


@dataclass(frozen=True, slots=True)
class Tree:
    """The partitions of a table, outermost level first; ``ahead``: only the last of the first level has the second."""

    levels: tuple[Parts, ...]
    ahead: bool = False

    @property
    def total(self) -> int:
        """Number of leaves."""
        product = 1
        for parts in self.levels:
            product *= parts.total
        return 1 + product // 2 if self.ahead and len(self.levels) > 1 else product

    @property
    def columns(self) -> tuple[str, ...]:
        """All key columns, outermost level first."""
        return tuple(dict.fromkeys(c for parts in self.levels for c in parts.columns))


def tree_of(scheme: Scheme, sizes: Sequence[int], columns: Mapping[str, ColumnFacts]) -> Tree:
    """The partitions of a scheme; ``sizes`` are the numbers of partitions of each level, outermost first."""
    levels = zip(scheme.levels, sizes, strict=True)
    return Tree(tuple(parts_of(level, size, columns) for level, size in levels), scheme.is_ahead)


def leaf_count(scheme: Scheme, sizes: Sequence[int]) -> int:
    """Number of leaves: the product of the levels; of an "ahead" scheme the old table and the new leaves."""
    product = 1
    for size in sizes:
        product *= size
    return 1 + product // 2 if scheme.is_ahead and len(sizes) > 1 else product


def touch(condition: Condition, tree: Tree, columns: Mapping[str, ColumnFacts], setting: Setting) -> Touch:
    """Leaves that one reference with this condition touches.

    Args:
        condition: what the statement demands of the table's own columns, equalities from joins included.
        tree: the partitions.
        columns: facts of the table's columns.
        setting: version, kind of statement and of plan.
    """
    if contradictory(condition, columns, setting):
        return Touch(0, 0, tree.total, "plan", "the conditions contradict each other, or nothing equals NULL")
    return touch_consistent(condition, tree, columns, setting)


def touch_consistent(condition: Condition, tree: Tree, columns: Mapping[str, ColumnFacts], setting: Setting) -> Touch:
    """``touch`` of a condition that is known not to contradict itself."""
    said = comparisons_of(condition)
    if len({c.column for c in said}) < len(said):
        condition = with_one_value_each(condition, columns)
    exact = len({c.column for c in said}) < len(said) or any(c.operator in ("in", "not_in") for c in said)
    last = _look(condition, tree, columns, setting, "loop", exact)
    if last.nothing or (last.certain and last.leaves >= tree.total):
        return Touch(tree.total, tree.total, tree.total, "never", _why_not(condition, tree, columns, setting))
    plan = last if _is_early(said, setting) else _look(condition, tree, columns, setting, "plan", exact)
    if plan.settles(last) or plan.leaves <= 1:  # a single partition is scanned without an Append that could skip it
        return Touch(plan.leaves, plan.leaves, tree.total, "plan", plan.why, plan.certain, plan.certain)
    start = _look(condition, tree, columns, setting, "start", exact)
    when: PruningStage = "start" if start.settles(last) else "loop"
    return Touch(plan.leaves, last.leaves, tree.total, when, last.why, last.certain, plan.certain)


@dataclass(frozen=True, slots=True)
class _Look:
    """What each level's conditions leave at one stage, and the leaves that makes."""

    picks: tuple[Pick | None, ...]
    leaves: float

    @property
    def nothing(self) -> bool:
        """Whether no level can be pruned."""
        return all(p is None for p in self.picks)

    @property
    def certain(self) -> bool:
        """Whether the number is no estimate."""
        return all(p is None or p.certain for p in self.picks)

    @property
    def why(self) -> str:
        """The reasons of all levels."""
        return "; ".join(dict.fromkeys(p.why for p in self.picks if p is not None))

    def settles(self, last: _Look) -> bool:
        """Whether nothing more is dropped later; of estimates the same must be estimated."""
        return self.picks == last.picks or (self.certain and last.certain and self.leaves <= last.leaves)


def _is_early(said: Sequence[Comparison], setting: Setting) -> bool:
    """Whether all values are known when planning for sure; a typed one may depend on the time zone."""
    return not setting.generic and all(o.kind in _EARLY and o.type in _PLAIN for c in said for o in c.operands)


def _look(
    condition: Condition,
    tree: Tree,
    columns: Mapping[str, ColumnFacts],
    setting: Setting,
    stage: PruningStage,
    exact: bool,
) -> _Look:
    views = [LevelView(parts, columns, setting, stage, places=exact) for parts in tree.levels]
    picks = tuple(select(condition, view) for view in views)
    counts = [_count(pick, parts) for pick, parts in zip(picks, tree.levels, strict=True)]
    if tree.ahead and len(counts) > 1:
        return _Look(picks, _ahead_leaves(picks[0], tree.levels[0], counts))
    if len(picks) == 2 and has_default(tree.levels[1]):
        return _below(condition, tree, columns, setting, stage, picks[0])
    return _Look(picks, math.prod(counts))


def _count(pick: Pick | None, parts: Parts) -> float:
    return float(parts.total) if pick is None else min(pick.count, parts.total)


def _below(
    condition: Condition,
    tree: Tree,
    columns: Mapping[str, ColumnFacts],
    setting: Setting,
    stage: PruningStage,
    first: Pick | None,
) -> _Look:
    """Leaves where the second level has a DEFAULT partition: its choice may differ from one partition to the next."""
    outer, inner = tree.levels
    chosen = numbers_of(outer, None if first is None else first.offsets)
    views = [LevelView(inner, columns, setting, stage, within=constraint_of(outer, n)) for n in chosen]
    picks = [select(condition, view) for view in views]
    leaves = sum(_count(pick, inner) for pick in picks)
    share = _count(first, outer) / len(chosen) if chosen else 0
    narrowest = min((p for p in picks if p is not None), key=lambda p: p.count, default=None)
    return _Look((first, narrowest), leaves * share)


def _ahead_leaves(first: Pick | None, parts: Parts, counts: Sequence[float]) -> float:
    """The old table is one leaf; a row of unknown age is taken for a new one."""
    if first is None or counts[0] > 1:
        return 1 + counts[1]
    if first.offsets is not None and not isinstance(parts, HashParts):
        old = count_of(parts, first.offsets & frozenset((1,)))
        return old or counts[1] * counts[0]
    return counts[1] * counts[0]


def _why_not(condition: Condition, tree: Tree, columns: Mapping[str, ColumnFacts], setting: Setting) -> str:
    """Why nothing is pruned: the first comparison with a key column that could not be used, else what is missing."""
    method = "hash" if isinstance(tree.levels[-1], HashParts) else "btree"
    for comparison in comparisons_of(condition):
        if comparison.column in tree.columns:
            reason = known(comparison, columns[comparison.column], method, setting)  # type: ignore[arg-type]
            if reason.when == "never":
                return reason.why
            if method == "hash" and comparison.operator not in ("=", "in", "is_null"):
                return f"{comparison.column} {comparison.operator.replace('_', ' ')}: hash prunes on equality only"
    pinned = {c.column for c in comparisons_of(condition)}
    missing = [c for c in tree.columns if c not in pinned]
    return f"no condition on {', '.join(missing)}" if missing else "the condition on the key is inside an OR or NOT"
