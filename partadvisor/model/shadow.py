"""What PostgreSQL's own planner says of a candidate, built in an empty server with the table's statistics.

Costs are in the planner's units, planning times in milliseconds, ratios are new ÷ old. Partition counts are leaf scans,
summed over every reference to the table.
"""

from __future__ import annotations

from partadvisor.model.base import Value


class PlannedQuery(Value, frozen=True, kw_only=True):
    """One query planned on the table as it is and on the candidate.

    ``cost_*`` is of the plan for typical values, without partitions that are dropped before or while it runs.
    ``partitions`` are left for those values, ``partitions_generic`` in a plan that serves any values, and
    ``predicted`` is what the analytic model says for the same values (None where only running it would tell). Locks
    are those on relations, likewise. ``reads`` is false for a plain INSERT, which counts in no cost ratio.
    ``problem`` says why there is no plan; ``fails`` that the statement works today and not on the candidate.
    """

    name: str
    fingerprint: str
    calls_per_second: float | None = None
    weight: float = 0.0
    reads: bool = True
    cost_before: float | None = None
    cost_after: float | None = None
    planning_ms_before: float | None = None
    planning_ms_after: float | None = None
    partitions: int | None = None
    partitions_generic: int | None = None
    predicted: float | None = None
    locks_before: int | None = None
    locks: int | None = None
    locks_generic: int | None = None
    problem: str | None = None
    fails: bool = False

    @property
    def cost_ratio(self) -> float | None:
        """New ÷ old cost, None when one of them is unknown."""
        if self.cost_before is None or self.cost_after is None or self.cost_before <= 0:
            return None
        return self.cost_after / self.cost_before


class Verification(Value, frozen=True, kw_only=True):
    """The planner's answer for one candidate.

    ``cost_ratio`` weighs each query's by its calls and its measured mean time; ``time_ratio`` adds the growth of
    planning time to it, and so compares with the analytic ``predicted_cost_ratio``, which counts planning as well.
    Of
    ``compared_partitions`` queries ``different_partitions`` leave other numbers of partitions than the model says;
    ``differences`` names them. ``queries`` are ordered by what they lose, the worst first; without ``--details`` only
    those that cost more or have no plan.
    """

    cost_ratio: float | None = None
    time_ratio: float | None = None
    predicted_cost_ratio: float
    planning_time_ratio: float | None = None
    locks_max: int | None = None
    locks_generic_max: int | None = None
    planned: int = 0
    compared_partitions: int = 0
    different_partitions: int = 0
    differences: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    queries: tuple[PlannedQuery, ...] = ()
