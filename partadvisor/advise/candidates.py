"""Which keys are worth scoring: hash, range, list and two-level schemes over columns that have a reason to be a key.

Partition counts are placeholders here (the first of the ladder); ``count`` chooses them once the spread is known.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator

from partadvisor.advise.key_sample import distinct_values
from partadvisor.advise.subject import Subject
from partadvisor.model.catalog import Column
from partadvisor.model.scheme import HashLevel, ListLevel, RangeLevel, Scheme
from partadvisor.pg import knowledge
from partadvisor.pg.hashing.types import base_name
from partadvisor.pg.type_families import has_class

_MOST_SINGLE = 7
_MOST_PAIRED = 4
_MOST_SUBKEYS = 3
_MOST_LIST_VALUES = 100
_TIMES = {"date", "timestamp", "timestamptz"}
_INTEGERS = {"int2", "int4", "int8"}
_KEY_LIKE = _INTEGERS | {"uuid", "text", "varchar", "bpchar", "date", "inet", "bytea"}


def candidate_schemes(subject: Subject) -> tuple[Scheme, ...]:
    """Schemes to score, most promising columns first; infeasible ones are among them when they show what is missing."""
    singles = key_columns(subject)
    hashed = [c for c in singles if has_class(subject.column(c).base_type, "hash")]
    return tuple(
        dict.fromkeys(
            itertools.chain(
                _hash_schemes(subject, hashed),
                _range_schemes(subject, hashed),
                _ahead_schemes(subject, hashed),
                _list_schemes(subject, singles),
            )
        )
    )


def placeholder() -> int:
    """The modulus that stands for "to be chosen"."""
    return int(knowledge.load("advice.toml")["ladder"][0])


def with_modulus(scheme: Scheme, modulus: int) -> Scheme:
    """``scheme`` with this number of hash partitions."""
    levels = [HashLevel(columns=x.columns, modulus=modulus) if isinstance(x, HashLevel) else x for x in scheme.levels]
    return Scheme(levels=tuple(levels))


def common_unique_columns(subject: Subject) -> tuple[str, ...] | None:
    """Columns contained in every unique index, in the order of the first; None when there is no unique index."""
    indexes = subject.unique_indexes
    if not indexes:
        return None
    first = [c for c in indexes[0].columns if c is not None]
    return tuple(c for c in first if all(c in index.columns for index in indexes))


def key_columns(subject: Subject) -> list[str]:
    """Columns with a reason to be a key, best first."""
    common = common_unique_columns(subject)
    points = {c.name: _points(subject, c, common) for c in subject.relation.columns if _may_be_key(c)}
    order = {c.name: c.number for c in subject.relation.columns}
    unique_order = {c: i for i, c in enumerate(common or ())}
    chosen = [c for c, p in points.items() if p > 0]
    chosen.sort(key=lambda c: (-round(points[c], 2), unique_order.get(c, 99), order[c]))
    return chosen[:_MOST_SINGLE]


def _may_be_key(column: Column) -> bool:
    statistics = column.statistics
    constant = statistics is not None and statistics.n_distinct == 1
    return not column.generated and not constant and base_name(column.base_type) != "bool"


def _points(subject: Subject, column: Column, common: tuple[str, ...] | None) -> float:
    """Worth of a column as a key before any arithmetic: can it be one, do queries name it, is it shared."""
    name = column.name
    points = 0.0
    if common is not None and name in common:
        points += 4.0
    elif any(name in index.columns for index in subject.unique_indexes):
        points += 1.0
    points += 2.0 * subject.equality_shares.get(name, 0.0)
    points += 0.5 * min(4.0, math.log2(max(1, subject.related.get(name, 1))))
    if any(name in k.columns for k in subject.relation.constraints if k.kind == "foreign_key"):
        points += 1.0
    if common is None and base_name(column.base_type) in _KEY_LIKE:
        points += 0.5
    return points


def _hash(columns: tuple[str, ...]) -> HashLevel:
    return HashLevel(columns=columns, modulus=placeholder())


def _hash_schemes(subject: Subject, hashed: list[str]) -> Iterator[Scheme]:
    for column in hashed:
        yield Scheme(levels=(_hash((column,)),))
    common = common_unique_columns(subject)
    paired = [c for c in hashed if common is None or c in common][:_MOST_PAIRED]
    position = {c: i for i, c in enumerate(common or hashed)}
    for pair in itertools.combinations(paired, 2):
        yield Scheme(levels=(_hash(tuple(sorted(pair, key=position.__getitem__))),))


def _range_schemes(subject: Subject, hashed: list[str]) -> Iterator[Scheme]:
    """By month on time columns and by rows on growing numbers: alone, and with a hash below."""
    common = common_unique_columns(subject)
    levels = [_range_level(subject, c) for c in subject.relation.columns if not c.generated]
    ranges = [level for level in levels if level is not None]
    ranges.sort(key=lambda level: common is not None and level.columns[0] not in common)
    for level in ranges[:2]:
        yield Scheme(levels=(level,))
        if common is None or level.columns[0] in common:
            for column in _below(subject, hashed, level.columns[0]):
                yield Scheme(levels=(level, _hash((column,))))


def _below(subject: Subject, hashed: list[str], outer: str) -> list[str]:
    """Hash keys to put below a range: feasible ones, and not the range column itself unless there is no other."""
    common = common_unique_columns(subject)
    feasible = [c for c in hashed if common is None or c in common]
    others = [c for c in feasible if c != outer]
    return (others or feasible)[:_MOST_SUBKEYS]


def _range_level(subject: Subject, column: Column) -> RangeLevel | None:
    kind = base_name(column.base_type)
    if kind in _TIMES:
        return RangeLevel(columns=(column.name,), interval="month")
    if kind in _INTEGERS and column.name in subject.monotone:
        return RangeLevel(columns=(column.name,), step=_step(subject.relation.rows))
    return None


def _step(rows: float) -> int:
    """A round number of rows, so that about a dozen partitions hold the table as it is."""
    wanted = max(1.0, rows) / float(knowledge.load("advice.toml")["range_partitions"])
    return int(max(1000.0, 10.0 ** math.ceil(math.log10(max(1.0, wanted)))))


def _ahead_schemes(subject: Subject, hashed: list[str]) -> Iterator[Scheme]:
    """Old rows stay in one partition, new ones are spread: needs a growing NOT NULL column in every unique index."""
    common = common_unique_columns(subject)
    for column in subject.relation.columns:
        allowed = common is None or column.name in common
        if column.name not in subject.monotone or not column.not_null or not allowed:
            continue
        feasible = [c for c in hashed if common is None or c in common]
        for below in feasible[:_MOST_SUBKEYS]:
            level = RangeLevel(columns=(column.name,), start="")
            yield Scheme(levels=(level, _hash((below,))))


def _list_schemes(subject: Subject, singles: list[str]) -> Iterator[Scheme]:
    for name in singles:
        column = subject.column(name)
        if column.statistics is None or not has_class(column.base_type, "btree"):
            continue
        few = 2 <= distinct_values(column, subject.relation.rows) <= _MOST_LIST_VALUES
        if few and name not in subject.monotone:
            yield Scheme(levels=(ListLevel(columns=(name,)),))
