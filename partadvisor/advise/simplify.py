"""Comparisons as the planner writes them before it looks for partitions to drop."""

from __future__ import annotations

from typing import Final

import msgspec

from partadvisor.advise.columns import ColumnFacts
from partadvisor.advise.operands import UNKNOWN, Setting, value_of
from partadvisor.model.workload import Comparison, Operand, Operator
from partadvisor.pg import versions
from partadvisor.pg.hashing.types import base_name
from partadvisor.pg.ordering import order_key
from partadvisor.pg.type_families import keeps_value, same_name

_UNKNOWN: Final[dict[str, Operator]] = {"is_unknown": "is_null", "is_not_unknown": "is_not_null"}


def simplified(comparison: Comparison, facts: ColumnFacts, setting: Setting) -> Comparison:
    """The comparison, rewritten.

    A boolean that differs from one constant equals the other; a cast of the column
    that only renames its type is none; a value that is cast to a domain is known late.
    """
    if facts.declared and any(o.type and same_name(o.type, facts.declared) for o in comparison.operands):
        operands = tuple(_in_domain(o, facts.declared) for o in comparison.operands)
        comparison = msgspec.structs.replace(comparison, operands=operands)
    if comparison.wrapped and comparison.cast and keeps_value(facts.type, comparison.cast):
        comparison = msgspec.structs.replace(comparison, wrapped=False)
    if comparison.operator in _UNKNOWN and versions.has("boolean_unknown_pruning", setting.major):
        comparison = msgspec.structs.replace(comparison, operator=_UNKNOWN[comparison.operator])
    if comparison.operator == "<>" and base_name(facts.type) == "bool" and not comparison.wrapped:
        return _equal_to_the_other(comparison, facts, setting)
    return comparison


def _in_domain(operand: Operand, domain: str) -> Operand:
    """The domain's constraints may change at any time, so they are checked when the execution starts."""
    if operand.type is None or not same_name(operand.type, domain):
        return operand
    value = operand.value if operand.kind == "constant" else None
    kind = "stable" if operand.kind in ("constant", "folded", "parameter") else operand.kind
    return Operand(kind=kind, value=value)


def _equal_to_the_other(comparison: Comparison, facts: ColumnFacts, setting: Setting) -> Comparison:
    operand = comparison.operands[0]
    value = value_of(operand, facts.type, setting)
    if value is UNKNOWN or value.text is None or (operand.kind == "parameter" and setting.generic):
        return comparison
    other = "false" if order_key("bool", value.text) else "true"
    return Comparison(
        column=comparison.column, operator="=", operands=(Operand(kind="constant", value=other, type="boolean"),)
    )
