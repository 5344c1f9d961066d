"""Walking and extending condition trees."""

from __future__ import annotations

from collections.abc import Sequence

from partadvisor.model.workload import AllOf, AnyOf, Comparison, Condition, Not, Opaque


def comparisons_of(condition: Condition) -> list[Comparison]:
    """Every comparison of the tree, wherever it stands."""
    match condition:
        case AllOf(parts=parts) | AnyOf(parts=parts):
            return [c for part in parts for c in comparisons_of(part)]
        case Not(part=part):
            return comparisons_of(part)
        case Opaque():
            return []
        case _:
            return [condition]


def with_comparisons(condition: Condition, more: Sequence[Comparison]) -> Condition:
    """``condition`` AND ``more``."""
    return AllOf(parts=(condition, *more)) if more else condition
