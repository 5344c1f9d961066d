"""When the planner or the executor knows the value a key is compared with, if ever."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from partadvisor.model.advice import PruningStage
from partadvisor.model.workload import Comparison, Operand
from partadvisor.pg import versions
from partadvisor.pg.type_families import Method, comparable, stable_comparison

STAGES: tuple[PruningStage, ...] = ("plan", "start", "loop", "never")


@dataclass(frozen=True, slots=True)
class Known:
    """When the value is known, and the reason in words."""

    when: PruningStage
    why: str


@dataclass(frozen=True, slots=True)
class Setting:
    """Circumstances of pruning: server major, whether the statement changes rows, custom or generic plan."""

    major: int
    writes: bool = False
    generic: bool = False


def known(comparison: Comparison, key_type: str, method: Method, setting: Setting) -> Known:
    """The latest moment at which one of the comparison's operands becomes known."""
    if comparison.wrapped:
        return Known("never", f"{comparison.column} is wrapped in an expression or a cast")
    latest = Known("plan", f"{comparison.column} {comparison.operator} a value known when planning")
    for operand in comparison.operands:
        one = _operand(comparison.column, operand, key_type, method, setting)
        if STAGES.index(one.when) > STAGES.index(latest.when):
            latest = one
    late = latest.when in ("start", "loop")
    if late and setting.writes and not versions.has("update_runtime_pruning", setting.major):
        return Known("never", "UPDATE and DELETE prune only when planning before PostgreSQL 14")
    return latest


def _operand(column: str, operand: Operand, key_type: str, method: Method, setting: Setting) -> Known:
    literal = operand.kind == "constant" and operand.type in (None, "text")  # an untyped literal takes the key's type
    if operand.type and not literal and not operand.type.endswith("[]"):
        if not comparable(key_type, operand.type, method):
            return Known("never", f"{column} ({key_type}) is compared with {operand.type}: another operator family")
        if operand.kind == "constant" and stable_comparison(key_type, operand.type):
            return Known("start", f"comparing {key_type} with {operand.type} depends on the session's time zone")
    match operand.kind:
        case "constant" | "folded":
            return Known("plan", f"{column} is compared with a constant")
        case "parameter":
            when: Literal["plan", "start"] = "start" if setting.generic else "plan"
            return Known(when, f"{column} is compared with a parameter")
        case "array_parameter":
            if setting.generic:
                return Known("never", f"{column} = ANY(array parameter) does not prune in a generic plan")
            return Known("plan", f"{column} = ANY(array parameter), known in a custom plan")
        case "stable":
            return Known("start", f"{column} is compared with a stable function")
        case "column":
            return Known("loop", f"{column} is joined: known for each outer row of a nested loop")
        case "subquery":
            return Known("loop", f"{column} is compared with a subquery")
        case "volatile":
            return Known("never", f"{column} is compared with a volatile function")
        case _:
            return Known("never", f"{column} is compared with an expression the planner cannot use")
