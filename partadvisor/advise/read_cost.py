"""What a scheme costs the readers: partitions each query touches, the time that adds, and the locks it takes.

The constants are in ``rules/read_cost.toml``. Queries with equal shapes cost the same, so schemes are compared by
shapes, and a query of its own is looked at only when it is shown (``query_effects``).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from partadvisor.advise.columns import column_facts
from partadvisor.advise.conditions import columns_of
from partadvisor.advise.merges import executed, merge_of
from partadvisor.advise.operands import Setting
from partadvisor.advise.planning_cost import crowding, planning_us
from partadvisor.advise.prune import Touch, Tree, touch, touch_consistent, tree_of
from partadvisor.advise.refute import contradictory
from partadvisor.advise.shapes import Shape, Shapes
from partadvisor.advise.subject import Subject, Use
from partadvisor.advise.work import WorkModel, filled_share
from partadvisor.model.advice import Locks, Merge, ReadCost
from partadvisor.model.scheme import Scheme
from partadvisor.model.workload import AllOf, Condition
from partadvisor.pg import knowledge, versions


class ScanCost(NamedTuple):
    """One reference under a scheme; times are microseconds that it adds to a call.

    ``work`` is new ÷ old cost of finding its rows where they are, ``execution`` the start of each further partition.
    """

    touched: Touch
    merge: Merge
    executed: float
    planning: float
    execution: float
    merging: float
    moving: float
    locks: int
    work: float = 1.0

    @property
    def added(self) -> float:
        """All of them together, the rows' own work aside."""
        return self.planning + self.execution + self.merging + self.moving


@dataclass(frozen=True, slots=True)
class ReadTotals:
    """The reads of a table together under a scheme, and the locks of the worst."""

    cost: ReadCost
    locks: Locks


class ReadModel:
    """Read cost of the schemes of one table; the conditions are completed with their joins once."""

    def __init__(self, subject: Subject) -> None:
        self.subject = subject
        self.shapes = Shapes(subject)
        self.slots = versions.fast_path_slots(subject.major, subject.max_locks)
        self._columns = column_facts(subject.relation)
        self._settled = [self._never_true(shape) for shape in self.shapes]
        self._parts = [_conjuncts(shape.condition) for shape in self.shapes]
        self._works = [WorkModel(shape, subject.relation) for shape in self.shapes]
        self._weights = self._weights_of_plans()
        self._before = sum(
            use.weight * base_ms(use.family.mean_ms)
            for use, scans in zip(subject.uses, self.shapes.of_uses, strict=True)
            if scans
        )
        self._timed = all(
            use.family.calls_per_second is not None
            for use, scans in zip(subject.uses, self.shapes.of_uses, strict=True)
            if scans
        )
        self._known: dict[tuple[Scheme, bool], list[ScanCost]] = {}

    def _weights_of_plans(self) -> dict[tuple[int, ...], tuple[float, float]]:
        """Of the queries that consist of the same shapes the calls, and the us of one reference in all of them."""
        weights: dict[tuple[int, ...], tuple[float, float]] = {}
        for use, scans in zip(self.subject.uses, self.shapes.of_uses, strict=True):
            if scans:
                calls, busy = weights.get(scans, (0.0, 0.0))
                weights[scans] = calls + use.weight, busy + use.weight * reference_us(use)
        return weights

    def scans(self, scheme: Scheme, sizes: tuple[int, ...], *, generic: bool = False) -> list[ScanCost]:
        """The cost of every shape under ``scheme``, in plans of their own or in generic ones."""
        key = (scheme, generic)
        if key not in self._known:
            tree = tree_of(scheme, sizes, self._columns)
            filled = filled_share(scheme, sizes)
            touches: dict[tuple[Condition, bool], tuple[Touch, float]] = {}
            costs = []
            known_shapes = zip(self.shapes, self._settled, self._parts, self._works, strict=True)
            for shape, never_true, parts, work in known_shapes:
                setting = self._setting(shape, generic)
                if never_true:
                    touched, parents = touch(shape.condition, tree, self._columns, setting), 0.0
                else:
                    about = AllOf(parts=tuple(p for p, columns in parts if not columns.isdisjoint(scheme.columns)))
                    known = touches.get((about, shape.writes))
                    touched, parents = known or self._looked(about, tree, setting)
                    touches[about, shape.writes] = touched, parents
                costs.append(self._scan(shape, work, touched, scheme, generic, parents, filled))
            self._known[key] = costs
        return self._known[key]

    def totals(self, scheme: Scheme, sizes: tuple[int, ...], partitions_per_statement: float) -> ReadTotals:
        """Everything weighted by calls; without any read nothing changes."""
        scans = self.scans(scheme, sizes)
        inserting = any(not s for s in self.shapes.of_uses)
        locks = self.locks_of(partitions_per_statement) if inserting else 1
        weight = added = touched = unpruned = 0.0
        for plan, (calls, busy) in self._weights.items():
            costs = [scans[i] for i in plan]
            locks = max(locks, sum(c.locks for c in costs))
            weight += calls
            added += (calls * self.added_us(costs) + busy * sum(c.work - 1 for c in costs)) / 1000
            touched += calls * sum(c.executed for c in costs)
            unpruned += calls * any(c.touched.when == "never" and c.touched.total > 1 for c in costs)
        return ReadTotals(
            ReadCost(
                partitions_per_query=touched / weight if weight else 1.0,
                cost_ratio=(self._before + added) / self._before if self._before > 0 else 1.0,
                unpruned_share=unpruned / weight if weight else 0.0,
                added_ms_per_second=added if self._timed else None,
            ),
            Locks(per_query_max=locks, fast_path_slots=self.slots),
        )

    def added_ms(self, scheme: Scheme, sizes: tuple[int, ...]) -> float | None:
        """Milliseconds a second that the scheme adds to the reads, None when call rates are unknown."""
        return self.totals(scheme, sizes, 1.0).cost.added_ms_per_second

    def added_us(self, costs: Sequence[ScanCost]) -> float:
        """What one call gains in time, locks beyond the cheap ones included, the rows' own work not."""
        return sum(c.added for c in costs) + self.lock_us(sum(c.locks for c in costs))

    def work_us(self, use: Use, costs: Sequence[ScanCost]) -> float:
        """What one call gains by its rows' own work; negative where they lie closer together."""
        return reference_us(use) * sum(c.work - 1 for c in costs)

    def lock_us(self, locks: int) -> float:
        """Time for the locks beyond a backend's own slots."""
        return max(0, locks - self.slots) * float(knowledge.load("read_cost.toml")["lock_us"])

    def locks_of(self, leaves: float) -> int:
        """Relation locks of one reference: parent, leaves, their indexes, from 16 on the parent's indexes too."""
        indexes = len(self.subject.relation.indexes)
        parent = 1 + (indexes if versions.has("parent_index_locks", self.subject.major) else 0)
        return parent + round(leaves) * (1 + indexes)

    def _looked(self, condition: Condition, tree: Tree, setting: Setting) -> tuple[Touch, float]:
        """What a condition touches, and how many partitions stay in the plan that are partitioned themselves."""
        touched = touch_consistent(condition, tree, self._columns, setting)
        if len(tree.levels) < 2:
            return touched, 0.0
        if tree.ahead or touched.planned <= 1:
            return touched, 1.0
        return touched, touch_consistent(condition, Tree(tree.levels[:1]), self._columns, setting).planned

    def _setting(self, shape: Shape, generic: bool = False) -> Setting:
        return Setting(major=self.subject.major, writes=shape.writes, generic=generic)

    def _never_true(self, shape: Shape) -> bool:
        """Whether the planner drops the reference under any scheme, which needs to be found out once only."""
        return contradictory(shape.condition, self._columns, self._setting(shape))

    def _scan(
        self,
        shape: Shape,
        rows: WorkModel,
        touched: Touch,
        scheme: Scheme,
        generic: bool,
        parents: float,
        filled: float,
    ) -> ScanCost:
        merge = merge_of(shape, touched, scheme, self.subject.relation.indexes)
        done = executed(shape, touched, merge)
        work = rows.ratio(scheme, touched, done, filled)
        planning = planning_us(touched.planned, parents, rows.leaf_us) if touched.total > 1 else 0.0
        execution = _execution_us(touched.planned, done)
        # a cached plan locks whatever is in it before it drops any partition, and no indexes (tried on 13 and 18)
        locks = 1 + round(touched.planned) if generic else self.locks_of(touched.planned)
        merging, moving = _merge_us(shape, done, merge), _move_us(shape, scheme)
        return ScanCost(touched, merge, done, planning, execution, merging, moving, locks, work)


def _conjuncts(condition: Condition) -> list[tuple[Condition, frozenset[str]]]:
    """The parts of a condition with the columns each names; a part that names no key column prunes nothing."""
    if isinstance(condition, AllOf):
        return [pair for part in condition.parts for pair in _conjuncts(part)]
    return [(condition, columns_of(condition))]


def reference_us(use: Use) -> float:
    """Time of one reference of a query: nobody says which one takes how much, so they share it equally."""
    references = len(use.family.pattern.tables) if use.family.pattern else 1
    return 1000 * base_ms(use.family.mean_ms) / max(1, references)


def base_ms(mean_ms: float) -> float:
    """What a call takes today; a plain index lookup where nobody measured it."""
    return mean_ms or float(knowledge.load("read_cost.toml")["lookup_us"]) / 1000


def _execution_us(planned: float, scanned: float) -> float:
    """Starting on each partition beyond the first, whether it holds rows or not."""
    each = float(knowledge.load("read_cost.toml")["execute_us"])
    return each * max(0.0, scanned - 1) * crowding(planned)


def _merge_us(shape: Shape, scanned: float, merge: Merge) -> float:
    """Rows that go through a merge where one index gave them before; only a limit tells how many."""
    if merge != "merge" or scanned <= 1 or not shape.limited:
        return 0.0
    constants = knowledge.load("read_cost.toml")
    rows = float(constants["limit_rows"]) if shape.limit_rows is None else shape.limit_rows
    return rows * float(constants["merge_row_us"]) * math.log2(scanned) / 6  # measured with 64 partitions: six levels


def _move_us(shape: Shape, scheme: Scheme) -> float:
    moves = any(c in scheme.columns for c in shape.moves)
    return float(knowledge.load("read_cost.toml")["move_us"]) if moves else 0.0
