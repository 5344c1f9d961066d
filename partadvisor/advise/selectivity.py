"""Which share of a table's rows a condition leaves, by the column statistics, for values that are not known.

As the planner's selfuncs.c has it: shares of independent conditions are multiplied, an equality leaves one usual value,
and the defaults of selfuncs.h stand in for everything that only the values would tell.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from partadvisor.advise.key_sample import distinct_values
from partadvisor.model.catalog import Column, Relation
from partadvisor.model.workload import AllOf, AnyOf, Comparison, Condition, Not, Opaque
from partadvisor.pg import knowledge

_LOWER, _UPPER = (">", ">="), ("<", "<=")
_RANGES = (*_LOWER, *_UPPER)
_MATCH, _INEQUALITY, _RANGE = 0.005, 1 / 3, 0.005  # DEFAULT_MATCH_SEL, DEFAULT_INEQ_SEL, DEFAULT_RANGE_INEQ_SEL
_UNKNOWN = 1 / 3


def selectivity(condition: Condition, relation: Relation) -> float:
    """Share of the rows, 0..1."""
    match condition:
        case AllOf(parts=parts):
            return _of_all(parts, relation)
        case AnyOf(parts=parts):
            return 1 - math.prod(1 - selectivity(part, relation) for part in parts)
        case Not(part=part):
            return 1 - selectivity(part, relation)
        case Opaque():
            return _UNKNOWN
        case _:
            return _of_comparison(condition, relation)


def top_comparisons(condition: Condition) -> list[Comparison]:
    """The comparisons that have to hold, whatever else does: those an index can be searched by."""
    if isinstance(condition, AllOf):
        return [c for part in condition.parts for c in top_comparisons(part)]
    return [condition] if isinstance(condition, Comparison) else []


def bounded_share(comparisons: Sequence[Comparison]) -> float:
    """Share of the rows between bounds of one column that are not known."""
    operators = [c.operator for c in comparisons]
    both = any(o in _LOWER for o in operators) and any(o in _UPPER for o in operators)
    return _RANGE if both else _INEQUALITY


def is_range(comparison: Comparison) -> bool:
    """Whether it is a plain bound of the column."""
    return comparison.operator in _RANGES and not comparison.wrapped


def equal_share(column: Column, rows: float) -> float:
    """Share of the rows that hold one usual value: of the common ones where they are most rows, else of the others."""
    statistics = column.statistics
    distinct = max(1.0, distinct_values(column, rows))
    if statistics is None or not statistics.most_common:
        return (1.0 - (statistics.null_fraction if statistics else 0.0)) / distinct
    shares = [share for _, share in statistics.most_common]
    common = sum(shares)
    if common >= 0.5 or distinct <= len(shares):
        return shares[len(shares) // 2]
    return max(0.0, 1.0 - common - statistics.null_fraction) / (distinct - len(shares))


def _of_all(parts: Sequence[Condition], relation: Relation) -> float:
    share = 1.0
    ranges: dict[str, list[Comparison]] = {}
    for part in parts:
        if isinstance(part, Comparison) and is_range(part):
            ranges.setdefault(part.column, []).append(part)
        else:
            share *= selectivity(part, relation)
    return share * math.prod(bounded_share(bounds) for bounds in ranges.values())


def _of_comparison(comparison: Comparison, relation: Relation) -> float:
    column = relation.column(comparison.column)
    if column is None or comparison.wrapped:
        return _MATCH
    nulls = column.statistics.null_fraction if column.statistics else 0.0
    match comparison.operator:
        case "=":
            return equal_share(column, relation.rows)
        case "in":
            return min(1.0, _listed(comparison) * equal_share(column, relation.rows))
        case "<>":
            return 1 - nulls - equal_share(column, relation.rows)
        case "not_in":
            return max(0.0, 1 - nulls - _listed(comparison) * equal_share(column, relation.rows))
        case "is_null":
            return nulls
        case "is_not_null":
            return 1 - nulls
        case "like" | "other":
            return _MATCH
        case operator:
            return _INEQUALITY if operator in _RANGES else _UNKNOWN


def _listed(comparison: Comparison) -> float:
    """Values of a list, assumed where they are given as one array."""
    length = float(knowledge.load("read_cost.toml")["array_length"])
    return sum(length if o.kind == "array_parameter" or o.value == "..." else 1.0 for o in comparison.operands) or 1.0
