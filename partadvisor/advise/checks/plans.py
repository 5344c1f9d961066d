"""Statements whose plans lose pruning on the partitioned table, or lock more than they read."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from partadvisor.advise.checks.common import Facts
from partadvisor.advise.conditions import comparisons_of
from partadvisor.advise.subject import Subject, Use
from partadvisor.model.advice import QueryEffect
from partadvisor.model.scheme import HashLevel, Scheme
from partadvisor.model.workload import Comparison, Operand
from partadvisor.pg.type_families import Method, comparable

PlanFacts = Iterator[Facts]
PlanCheck = Callable[[Subject, Scheme, Use, QueryEffect], PlanFacts]
"""Yields the values of the rule's texts for one statement and what is predicted of it."""

_PARAMETERS = ("parameter", "array_parameter")


def key_comparisons(use: Use, scheme: Scheme) -> list[Comparison]:
    """Comparisons of a statement with key columns, wherever they stand."""
    conditions = (a.condition for a in use.accesses if a.role != "insert")
    return [c for condition in conditions for c in comparisons_of(condition) if c.column in scheme.columns]


def _unpruned(effect: QueryEffect) -> bool:
    return effect.when == "never" and effect.partitions > 1


def _array_parameter(_: Subject, scheme: Scheme, use: Use, effect: QueryEffect) -> PlanFacts:
    if effect.generic_partitions <= effect.partitions_touched:
        return
    for comparison in key_comparisons(use, scheme):
        if any(o.kind == "array_parameter" for o in comparison.operands):
            yield {"query": use.name, "column": comparison.column, "leaves": str(effect.partitions)}
            return


def _other_type(subject: Subject, scheme: Scheme, use: Use, effect: QueryEffect) -> PlanFacts:
    for comparison in key_comparisons(use, scheme) if _unpruned(effect) else ():
        column = subject.column(comparison.column)
        methods = _methods(scheme, comparison.column)
        other = next((o.type for o in comparison.operands if _foreign(o, column.base_type, methods)), None)
        if other is not None and not comparison.wrapped:
            facts = {"query": use.name, "column": column.name, "type": column.type, "other": other}
            yield facts | {"leaves": str(effect.partitions)}
            return


def _methods(scheme: Scheme, column: str) -> list[Method]:
    return ["hash" if isinstance(x, HashLevel) else "btree" for x in scheme.levels if column in x.columns]


def _foreign(operand: Operand, key_type: str, methods: Sequence[Method]) -> bool:
    """Whether the value's type takes the comparison out of the key's operator family."""
    literal = operand.kind == "constant" and operand.type in (None, "text")
    if operand.type is None or literal or operand.type.endswith("[]"):
        return False
    return not any(comparable(key_type, operand.type, method) for method in methods)


def _wrapped(_: Subject, scheme: Scheme, use: Use, effect: QueryEffect) -> PlanFacts:
    for comparison in key_comparisons(use, scheme) if _unpruned(effect) else ():
        if comparison.wrapped:
            yield {"query": use.name, "column": comparison.column, "leaves": str(effect.partitions)}
            return


def _generic_locks(_: Subject, scheme: Scheme, use: Use, effect: QueryEffect) -> PlanFacts:
    prepared = any(o.kind in _PARAMETERS for c in key_comparisons(use, scheme) for o in c.operands)
    if prepared and effect.generic_locks > effect.locks:
        yield {
            "query": use.name,
            "touched": f"{effect.partitions_touched:.0f}",
            "leaves": str(effect.partitions),
            "locks": str(effect.generic_locks),
        }


PLAN_CHECKS: dict[str, PlanCheck] = {
    "PF421": _array_parameter,
    "PF422": _other_type,
    "PF423": _wrapped,
    "PF424": _generic_locks,
}
