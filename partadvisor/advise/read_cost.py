"""What a scheme costs the readers: partitions each query touches, the time that adds, and the locks it takes."""

from __future__ import annotations

from dataclasses import dataclass

from partadvisor.advise.equivalence import completed_conditions
from partadvisor.advise.operands import STAGES, Setting
from partadvisor.advise.prune import Touch, leaf_count, touch
from partadvisor.advise.subject import Subject, Use
from partadvisor.model.advice import Locks, QueryEffect, ReadCost
from partadvisor.model.scheme import Scheme
from partadvisor.model.workload import Condition
from partadvisor.pg import knowledge, versions

_WRITING = ("update", "delete", "merge")
_Shape = tuple[Condition, bool]  # what is demanded of the table, and whether its rows are changed


@dataclass(frozen=True, slots=True)
class QueryCost:
    """One query under a scheme: what it touches, what that adds a call (ms), and its base time (ms)."""

    use: Use
    effect: QueryEffect
    added_ms: float
    base_ms: float
    locks: int
    reads: bool


class ReadModel:
    """Read cost of the schemes of one table; the conditions are completed with their joins once."""

    def __init__(self, subject: Subject) -> None:
        self._subject = subject
        self._types = {c.name: c.base_type for c in subject.relation.columns}
        self._shapes: dict[_Shape, int] = {}
        self._scans = [self._scans_of(use) for use in subject.uses]
        self._calls = self._calls_of_shapes()
        self._touches: dict[Scheme, list[Touch]] = {}
        self.slots = versions.fast_path_slots(subject.major, subject.max_locks)

    def queries(self, scheme: Scheme, sizes: tuple[int, ...], partitions_per_statement: float) -> list[QueryCost]:
        """Every query of the table under ``scheme``, the one that costs most first."""
        by_shape = self._shape_touches(scheme, sizes)
        leaves = leaf_count(scheme, sizes)
        costs = [
            self._query(use, [by_shape[s] for s in scans], leaves, partitions_per_statement)
            for use, scans in zip(self._subject.uses, self._scans, strict=True)
        ]
        return sorted(costs, key=lambda c: -c.added_ms * c.use.weight)

    def _query(
        self,
        use: Use,
        touches: list[Touch],
        leaves: int,
        partitions_per_statement: float,
    ) -> QueryCost:
        constants = knowledge.load("read_cost.toml")
        base = use.family.mean_ms or float(constants["lookup_us"]) / 1000
        if not touches:
            effect = _insert_effect(use, leaves, partitions_per_statement)
            return QueryCost(use, effect, 0.0, base, self._locks(partitions_per_statement), reads=False)
        locks = sum(self._locks(t.planned) for t in touches)
        added = sum(_added_us(t) for t in touches) + max(0, locks - self.slots) * float(constants["lock_us"])
        return QueryCost(use, _effect(use, touches), added / 1000, base, locks, reads=True)

    def _scans_of(self, use: Use) -> list[int]:
        """The shape of each reference that reads; many queries share a few shapes, each is looked at once."""
        pattern = use.family.pattern
        conditions = completed_conditions(pattern.tables if pattern else use.accesses)
        shapes = ((conditions[a.alias], a.role in _WRITING) for a in use.accesses if a.role != "insert")
        return [self._shapes.setdefault(shape, len(self._shapes)) for shape in shapes]

    def added_ms(self, scheme: Scheme, sizes: tuple[int, ...]) -> float | None:
        """Milliseconds a second that the scheme adds to the reads, None when call rates are unknown."""
        if self._calls is None:
            return None
        lock_us = float(knowledge.load("read_cost.toml")["lock_us"])
        touches = self._shape_touches(scheme, sizes)
        slow = (max(0, self._locks(t.planned) - self.slots) * lock_us for t in touches)
        return sum(n * (_added_us(t) + s) for n, t, s in zip(self._calls, touches, slow, strict=True)) / 1000

    def _calls_of_shapes(self) -> list[float] | None:
        """Calls a second of each shape; None when a query's are unknown."""
        calls = [0.0] * len(self._shapes)
        for use, scans in zip(self._subject.uses, self._scans, strict=True):
            rate = use.family.calls_per_second
            if scans and rate is None:
                return None
            for shape in scans:
                calls[shape] += rate or 0.0
        return calls

    def _shape_touches(self, scheme: Scheme, sizes: tuple[int, ...]) -> list[Touch]:
        if scheme not in self._touches:
            self._touches[scheme] = [
                touch(condition, scheme, sizes, self._types, Setting(major=self._subject.major, writes=writes))
                for condition, writes in self._shapes
            ]
        return self._touches[scheme]

    def _locks(self, leaves: float) -> int:
        """Relation locks of one reference: parent, leaves, their indexes, from 16 on the parent's indexes too."""
        indexes = len(self._subject.relation.indexes)
        parent = 1 + (indexes if versions.has("parent_index_locks", self._subject.major) else 0)
        return parent + round(leaves) * (1 + indexes)


def _added_us(one: Touch) -> float:
    """Time that the partitions beyond the first add to one call, in microseconds."""
    constants = knowledge.load("read_cost.toml")
    limit = float(constants["superlinear_above"])
    execute = float(constants["execute_us"]) * max(0.0, one.executed - 1)
    if one.planned > limit:
        growth = (one.planned / limit) ** float(constants["superlinear_exponent"])
        return float(constants["superlinear_us"] * growth)
    return float(constants["plan_us"]) * max(0.0, one.planned - 1) + execute


def _effect(use: Use, touches: list[Touch]) -> QueryEffect:
    worst = max(touches, key=lambda t: (STAGES.index(t.when), t.executed))
    return QueryEffect(
        name=use.name,
        fingerprint=use.family.fingerprint,
        calls_per_second=use.family.calls_per_second,
        partitions_touched=sum(t.executed for t in touches),
        partitions=worst.total,
        when=worst.when,
        why=worst.why,
    )


def _insert_effect(use: Use, leaves: int, partitions_per_statement: float) -> QueryEffect:
    return QueryEffect(
        name=use.name,
        fingerprint=use.family.fingerprint,
        calls_per_second=use.family.calls_per_second,
        partitions_touched=partitions_per_statement,
        partitions=leaves,
        when="loop",
        why="each row is routed as it is inserted",
    )


def read_cost(costs: list[QueryCost]) -> ReadCost:
    """The reads together, weighted by calls; without any read nothing changes."""
    reads = [c for c in costs if c.reads]
    weight = sum(c.use.weight for c in reads)
    if weight <= 0:
        return ReadCost(partitions_per_query=1.0, cost_ratio=1.0, unpruned_share=0.0, added_ms_per_second=0.0)
    before = sum(c.use.weight * c.base_ms for c in reads)
    added = sum(c.use.weight * c.added_ms for c in reads)
    unpruned = sum(c.use.weight for c in reads if c.effect.when == "never" and c.effect.partitions > 1)
    timed = all(c.use.family.calls_per_second is not None for c in reads)
    return ReadCost(
        partitions_per_query=sum(c.use.weight * c.effect.partitions_touched for c in reads) / weight,
        cost_ratio=(before + added) / before if before > 0 else 1.0,
        unpruned_share=unpruned / weight,
        added_ms_per_second=added if timed else None,
    )


def locks(costs: list[QueryCost], slots: int) -> Locks:
    """Locks of the worst query against the slots of a backend."""
    return Locks(per_query_max=max((c.locks for c in costs), default=1), fast_path_slots=slots)


def worse_queries(costs: list[QueryCost], most: int = 5) -> tuple[QueryEffect, ...]:
    """The queries that lose time, the costliest first."""
    return tuple(c.effect for c in costs if c.reads and c.added_ms > 0)[:most]
