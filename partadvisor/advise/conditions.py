"""Walking and extending condition trees."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from partadvisor.advise.columns import ColumnFacts
from partadvisor.model.workload import AllOf, AnyOf, Comparison, Condition, Not, Opaque
from partadvisor.pg.type_families import comparable


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


def columns_of(condition: Condition) -> frozenset[str]:
    """Every column of the table that the condition names, in whatever way."""
    match condition:
        case AllOf(parts=parts) | AnyOf(parts=parts):
            return frozenset[str]().union(*(columns_of(part) for part in parts))
        case Not(part=part):
            return columns_of(part)
        case Opaque(columns=columns):
            return frozenset(columns)
        case _:
            return frozenset((condition.column,))


def with_comparisons(condition: Condition, more: Sequence[Comparison]) -> Condition:
    """``condition`` AND ``more``."""
    return AllOf(parts=(condition, *more)) if more else condition


def equal_columns(condition: Condition) -> frozenset[str]:
    """Columns that the condition fixes to one value."""
    if isinstance(condition, AllOf):
        return frozenset[str]().union(*(equal_columns(part) for part in condition.parts))
    if isinstance(condition, Comparison) and condition.operator == "=" and not condition.wrapped:
        return frozenset((condition.column,))
    return frozenset()


def with_one_value_each(condition: Condition, columns: Mapping[str, ColumnFacts]) -> Condition:
    """Without the further values that a column is equal to at the top of the condition.

    The planner keeps one, a constant if there is one, and checks the others against it, not against the column.
    """
    if not isinstance(condition, AllOf):
        return condition
    parts = list(_flat(condition))
    kept: dict[str, Comparison] = {}
    for part in parts:
        if isinstance(part, Comparison) and _is_value(part, columns):
            before = kept.get(part.column)
            if before is None or before.operands[0].kind != "constant":
                kept[part.column] = part
    if len(kept) == sum(isinstance(p, Comparison) and _is_value(p, columns) for p in parts):
        return condition
    return AllOf(
        parts=tuple(
            p for p in parts if not isinstance(p, Comparison) or not _is_value(p, columns) or kept[p.column] is p
        )
    )


def _flat(condition: AllOf) -> Iterator[Condition]:
    for part in condition.parts:
        if isinstance(part, AllOf):
            yield from _flat(part)
        else:
            yield part


def _is_value(part: Comparison, columns: Mapping[str, ColumnFacts]) -> bool:
    """Whether the column itself equals a value, of its own type or one of its family."""
    if part.operator != "=" or part.wrapped or part.column not in columns:
        return False
    operand = part.operands[0]
    own = operand.type is None or comparable(columns[part.column].type, operand.type, "btree")
    return own and operand.kind in ("constant", "parameter", "stable")
