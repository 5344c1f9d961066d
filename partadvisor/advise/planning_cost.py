"""What planning a partition takes: more with each index, each condition and each way the partition can be searched.

The planner goes over the indexes and conditions of every partition that stays in the plan (``get_relation_info``,
``adjust_appendrel_attrs``, ``create_index_paths``), so one price for all would be several times too low or too high.
"""

from __future__ import annotations

from partadvisor.advise.access_cost import Reference
from partadvisor.advise.conditions import comparisons_of
from partadvisor.advise.shapes import Shape
from partadvisor.pg import knowledge


def leaf_us(shape: Shape, reference: Reference | None, indexes: int) -> float:
    """Microseconds for each partition beyond the first that stays in the plan."""
    constants = knowledge.load("read_cost.toml")
    compared = comparisons_of(shape.condition)
    joined = sum(c.operator == "=" and any(o.kind == "column" for o in c.operands) for c in compared)
    paths = len(reference.paths) if reference else 0
    return float(
        constants["plan_us"]
        + constants["plan_index_us"] * indexes
        + constants["plan_condition_us"] * len(compared)
        + constants["plan_path_us"] * paths
        + constants["plan_join_us"] * joined
    )


def planning_us(planned: float, parents: float, leaf: float) -> float:
    """Microseconds of planning more than for a plain table.

    Args:
        planned: partitions that stay in the plan.
        parents: of those that are partitioned themselves, the ones whose partitions stay.
        leaf: for each partition beyond the first.
    """
    if planned <= 0:
        return 0.0
    constants = knowledge.load("read_cost.toml")
    beyond = leaf * (planned - 1) * crowding(planned)
    return float(constants["partitioned_us"]) + beyond + parents * float(constants["parent_us"])


def crowding(planned: float) -> float:
    """Factor on the time of each partition when there are very many in one plan."""
    constants = knowledge.load("read_cost.toml")
    beyond = planned / float(constants["superlinear_above"])
    return float(max(1.0, beyond) ** (float(constants["superlinear_exponent"]) - 1))
