"""How many partitions each level of a scheme has."""

from __future__ import annotations

from partadvisor.advise.key_sample import distinct_values
from partadvisor.advise.subject import Subject
from partadvisor.model.scheme import HashLevel, Level, ListLevel, Scheme
from partadvisor.pg import knowledge


def level_sizes(scheme: Scheme, subject: Subject) -> tuple[int, ...]:
    """Partitions of each level, outermost first; a range by interval counts as a year of months."""
    return tuple(_size(level, subject) for level in scheme.levels)


def _size(level: Level, subject: Subject) -> int:
    if isinstance(level, HashLevel):
        return level.modulus
    if isinstance(level, ListLevel):
        if level.values:
            return len(level.values) + 1
        return max(1, round(distinct_values(subject.column(level.columns[0]), subject.relation.rows)))
    if level.at:
        return len(level.at) + 1
    if level.start is not None:
        return 2
    if level.step and subject.relation.rows > 0:
        return max(1, round(subject.relation.rows / level.step)) + 1
    return int(knowledge.load("advice.toml")["range_partitions"])
