"""When the planner or the executor knows the value a key is compared with, if ever, and which value it is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

from partadvisor.advise.columns import ColumnFacts
from partadvisor.model.advice import PruningStage
from partadvisor.model.workload import Comparison, Operand
from partadvisor.pg import versions
from partadvisor.pg.hashing.types import base_name
from partadvisor.pg.ordering import is_text
from partadvisor.pg.type_families import (
    Method,
    comparable,
    converted_to,
    converts,
    converts_late,
    same_name,
    stable_comparison,
)

STAGES: tuple[PruningStage, ...] = ("plan", "start", "loop", "never")


@dataclass(frozen=True, slots=True)
class Known:
    """When the value is known, and the reason in words."""

    when: PruningStage
    why: str


@dataclass(frozen=True, slots=True)
class Setting:
    """Circumstances of pruning: server major, whether the statement changes rows, custom or generic plan.

    ``values`` are texts of parameters (``$1``) where a log tells them; what is not known is estimated.
    """

    major: int
    writes: bool = False
    generic: bool = False
    values: Mapping[str, str | None] = field(default_factory=dict, hash=False)


@dataclass(frozen=True, slots=True)
class Value:
    """A value as text (None for NULL) and its type; the key's own where ``type`` is None."""

    text: str | None
    type: str | None = None


UNKNOWN: Final = Value("", "unknown")


def value_of(operand: Operand, key_type: str, setting: Setting) -> Value:
    """The operand's value, ``UNKNOWN`` where the text of the statement does not tell it."""
    if operand.kind == "parameter" and operand.value is not None and operand.value in setting.values:
        text = setting.values[operand.value]
    elif operand.kind == "constant" or (operand.kind == "stable" and operand.value is not None):
        text = operand.value
    else:
        return UNKNOWN
    if operand.type is None or same_name(base_name(operand.type), base_name(key_type)):
        return Value(text)
    return Value(text, operand.type if comparable(key_type, operand.type, "btree") else converted_to(key_type))


def known(comparison: Comparison, facts: ColumnFacts, method: Method, setting: Setting) -> Known:
    """The latest moment at which one of the comparison's operands becomes known."""
    if comparison.wrapped:
        return Known("never", f"{comparison.column} is wrapped in an expression or a cast")
    latest = Known("plan", f"{comparison.column} {comparison.operator} a value known when planning")
    for operand in comparison.operands:
        one = _operand(comparison.column, operand, facts, method, setting)
        if STAGES.index(one.when) > STAGES.index(latest.when):
            latest = one
    late = latest.when in ("start", "loop")
    if late and setting.writes and not versions.has("update_runtime_pruning", setting.major):
        return Known("never", "UPDATE and DELETE prune only when planning before PostgreSQL 14")
    return latest


def _operand(column: str, operand: Operand, facts: ColumnFacts, method: Method, setting: Setting) -> Known:
    if operand.kind == "constant" and operand.value is None and operand.type is None:
        return Known("plan", f"{column} is compared with NULL")
    late: Known | None = None
    if operand.collation is not None and not facts.has_collation(operand.collation):
        return Known("never", f"{column} is compared under another collation than its own")
    if operand.type and not operand.type.endswith("[]") and operand.kind != "array_parameter":
        late = _other_type(column, operand, facts, method)
    if late is not None and late.when == "never":
        return late
    found = _kind(column, operand, setting)
    return late if late is not None and found.when == "plan" else found


def _other_type(column: str, operand: Operand, facts: ColumnFacts, method: Method) -> Known | None:
    """What another type does: nothing, or it makes the value known late or never."""
    key_type, other = facts.type, str(operand.type)
    if other == "name" and is_text(key_type) and operand.collation is None and facts.has_collation("C"):
        return None  # a name has the collation "C"
    if comparable(key_type, other, method):
        if stable_comparison(key_type, other):
            return Known("start", f"comparing {key_type} with {other} depends on the session's time zone")
        return None
    if not converts(key_type, other):
        return Known("never", f"{column} ({key_type}) is compared with {other}: another operator family")
    if converts_late(key_type, other):
        return Known("start", f"converting {other} to {key_type} depends on the session's time zone")
    return None


def _kind(column: str, operand: Operand, setting: Setting) -> Known:
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
