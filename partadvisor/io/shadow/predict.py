"""What the analytic model says of the very plan the server was asked for: same partitions, same values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from partadvisor.advise.columns import ColumnFacts, column_facts
from partadvisor.advise.equivalence import completed_conditions
from partadvisor.advise.layout import OpenParts, Parts, list_parts, parts_of, range_parts
from partadvisor.advise.operands import Setting
from partadvisor.advise.prune import Tree, touch
from partadvisor.advise.subject import Use
from partadvisor.io.shadow.world import NEEDS_MAJOR, Candidate
from partadvisor.model.catalog import Relation
from partadvisor.model.scheme import Level, ListLevel, RangeLevel
from partadvisor.planner.calendar import calendar_bounds
from partadvisor.planner.partitions import Layout, Partition, column_of

_WRITING = ("update", "delete", "merge")


def predicted_partitions(use: Use, candidate: Candidate, values: Sequence[str | None]) -> float | None:
    """Leaf scans the model expects of the plan for these values; None where it cannot tell without running it."""
    columns = column_facts(candidate.relation)
    tree = _tree(candidate, columns)
    named = {f"${number}": value for number, value in enumerate(values, start=1)}
    pattern = use.family.pattern
    conditions = completed_conditions(pattern.tables if pattern else use.accesses)
    total = 0.0
    for access in use.accesses:
        if access.role == "insert":
            continue
        setting = Setting(major=NEEDS_MAJOR, writes=access.role in _WRITING, values=named)
        found = touch(conditions[access.alias], tree, columns, setting)
        if found.when == "loop" or not found.certain:
            return None
        total += found.executed
    return total


def _tree(candidate: Candidate, columns: Mapping[str, ColumnFacts]) -> Tree:
    sizes = level_sizes(candidate.layout)
    levels = [
        _parts(level, size, candidate.relation, columns)
        for level, size in zip(candidate.scheme.levels, sizes, strict=True)
    ]
    return Tree(tuple(levels), candidate.scheme.is_ahead)


def _parts(level: Level, size: int, relation: Relation, columns: Mapping[str, ColumnFacts]) -> Parts:
    """The bounds that the layout was made with."""
    if isinstance(level, ListLevel) and not level.values:
        statistics = column_of(relation, level.columns[0]).statistics
        groups = [(value,) for value, _ in statistics.most_common] if statistics else []
        return list_parts(level.columns[0], groups, True, columns)
    if isinstance(level, RangeLevel) and (level.interval or level.step):
        bounds = calendar_bounds(level, column_of(relation, level.columns[0]), relation.qualified_name)
        ranges = [((low,), (high,)) for _, low, high in bounds]
        return range_parts(level.columns, ranges, True, columns) or OpenParts(level.columns, size, level)
    return parts_of(level, size, columns)


def level_sizes(layout: Layout) -> tuple[int, ...]:
    """Partitions of each level of a layout."""
    sizes: list[int] = []
    parts: tuple[Partition, ...] = layout.parts
    while parts:
        sizes.append(len(parts))
        parts = parts[-1].parts
    return tuple(sizes)
