"""How many partitions each level of a scheme has."""

from __future__ import annotations

from partadvisor.advise.key_sample import distinct_values
from partadvisor.advise.range_buckets import bucket_of
from partadvisor.advise.subject import Subject
from partadvisor.model.scheme import HashLevel, Level, ListLevel, RangeLevel, Scheme
from partadvisor.pg import knowledge


def level_sizes(scheme: Scheme, subject: Subject) -> tuple[int, ...]:
    """Partitions of each level, outermost first, as the migration makes them from what is known of the values.

    Range and list levels have a DEFAULT partition, except that of an "ahead" scheme. A range by interval or step goes
    from the smallest known value to some intervals beyond the largest; where no value is known it counts as a year of
    months.
    """
    return tuple(_size(level, subject) for level in scheme.levels)


def _size(level: Level, subject: Subject) -> int:
    if isinstance(level, HashLevel):
        return level.modulus
    if isinstance(level, ListLevel):
        if level.values:
            return len(level.values) + 1
        column = subject.column(level.columns[0])
        listed = len(column.statistics.most_common) if column.statistics else 0
        return (listed or max(1, round(distinct_values(column, subject.relation.rows)))) + 1
    if level.at:
        return len(level.at) + 2
    if level.start is not None:
        return 2
    known = _intervals(level, subject)
    if known is not None:
        return known
    if level.step and subject.relation.rows > 0:
        return max(1, round(subject.relation.rows / level.step)) + 1
    return int(knowledge.load("advice.toml")["range_partitions"])


def _intervals(level: RangeLevel, subject: Subject) -> int | None:
    """Intervals between the known values, those made ahead, and DEFAULT; None when no value is known."""
    statistics = subject.column(level.columns[0]).statistics
    if statistics is None or statistics.values_hashed or len(level.columns) > 1:
        return None
    values = statistics.histogram or tuple(value for value, _ in statistics.most_common)
    places = [place for value in values if (place := bucket_of(value, level)) is not None]
    if not places:
        return None
    ahead = int(knowledge.load("advice.toml")["steps_ahead" if level.step else "intervals_ahead"])
    return max(places) - min(places) + 1 + ahead + 1
