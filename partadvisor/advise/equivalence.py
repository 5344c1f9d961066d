"""Equalities that follow from joins: ``a.k = b.k AND b.k = 5`` fixes ``a.k`` as well, as the planner knows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from partadvisor.advise.conditions import with_comparisons
from partadvisor.model.workload import AllOf, Comparison, Condition, Operand, TableAccess

_Place = tuple[str, str]  # alias, column


def completed_conditions(accesses: Sequence[TableAccess]) -> dict[str, Condition]:
    """For each alias of a statement its condition together with what its joins add."""
    fixed = _fixed(accesses)
    return {a.alias: with_comparisons(a.condition, _from_joins(a, accesses, fixed)) for a in accesses}


def _top_equalities(condition: Condition) -> list[Comparison]:
    if isinstance(condition, AllOf):
        return [c for part in condition.parts for c in _top_equalities(part)]
    if isinstance(condition, Comparison) and condition.operator == "=" and not condition.wrapped:
        return [condition]
    return []


def _fixed(accesses: Sequence[TableAccess]) -> dict[_Place, Comparison]:
    """Columns equal to a constant, parameter or stable value, also over chains of joins."""
    fixed: dict[_Place, Comparison] = {}
    for access in accesses:
        for comparison in _top_equalities(access.condition):
            if comparison.operands and comparison.operands[0].kind in ("constant", "parameter", "stable"):
                fixed.setdefault((access.alias, comparison.column), comparison)
    for _ in accesses:  # a chain is at most as long as there are references
        for access in accesses:
            for join in access.joins:
                if join.outer:  # which side passes its constants on is already in the conditions
                    continue
                here, there = (access.alias, join.column), (join.other_alias, join.other_column)
                for known, unknown in ((here, there), (there, here)):
                    if known in fixed and unknown not in fixed:
                        fixed[unknown] = _moved(fixed[known], unknown[1])
    return fixed


def _moved(comparison: Comparison, column: str) -> Comparison:
    return Comparison(column=column, operator="=", operands=comparison.operands)


def _from_joins(
    access: TableAccess, accesses: Sequence[TableAccess], fixed: Mapping[_Place, Comparison]
) -> list[Comparison]:
    own = {c.column for c in _top_equalities(access.condition) if c.operands and c.operands[0].kind != "column"}
    narrow = {a.alias for a in accesses if a.alias != access.alias and _top_equalities(a.condition)}
    added = []
    for join in access.joins:
        value = fixed.get((access.alias, join.column))
        if join.column in own:
            continue
        if value is not None:
            added.append(_moved(value, join.column))
        elif join.other_alias in narrow:
            added.append(_joined(join.column, join.other_alias, join.other_column))
    return added


def _joined(column: str, alias: str, other: str) -> Comparison:
    """Known for each outer row when few of those are expected: then the planner takes a nested loop."""
    return Comparison(column=column, operator="=", operands=(Operand(kind="column", value=f"{alias}.{other}"),))
