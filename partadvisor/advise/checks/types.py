"""Which columns can be a partition key at all."""

from __future__ import annotations

from collections.abc import Iterator

from partadvisor.advise.checks.common import Check, Facts
from partadvisor.advise.subject import Subject
from partadvisor.model.catalog import Column
from partadvisor.model.scheme import ListLevel, RangeLevel, Scheme
from partadvisor.pg.hashing.types import base_name, is_hashable
from partadvisor.pg.type_families import has_class

_TEMPORAL = {"date", "timestamp", "timestamptz"}
_NUMBERS = {"int2", "int4", "int8", "numeric", "float4", "float8"}
_BUILT_IN_UNROUTABLE = ("range", "multirange", "[]")


def _columns(subject: Subject, scheme: Scheme, *, hashed: bool) -> Iterator[Column]:
    """Key columns of the hash levels, or of the others."""
    for level in scheme.levels:
        if hashed != isinstance(level, RangeLevel | ListLevel):
            yield from (subject.column(c) for c in level.columns)


def _no_hash_class(subject: Subject, scheme: Scheme) -> Iterator[Facts]:
    for column in _columns(subject, scheme, hashed=True):
        if not has_class(column.base_type, "hash"):
            yield {"column": column.name, "type": column.type}


def _no_btree_class(subject: Subject, scheme: Scheme) -> Iterator[Facts]:
    for column in _columns(subject, scheme, hashed=False):
        if not has_class(column.base_type, "btree"):
            yield {"column": column.name, "type": column.type}


def _generated(subject: Subject, scheme: Scheme) -> Iterator[Facts]:
    for name in scheme.columns:
        if subject.column(name).generated:
            yield {"column": name}


def _range_columns(subject: Subject, scheme: Scheme) -> Iterator[Column]:
    for level in scheme.levels:
        if isinstance(level, RangeLevel):
            yield from (subject.column(c) for c in level.columns)


def _null_range_key(subject: Subject, scheme: Scheme) -> Iterator[Facts]:
    for column in _range_columns(subject, scheme):
        nulls = column.statistics.null_fraction if column.statistics else 0.0
        if not column.not_null and nulls > 0:
            yield {"column": column.name, "share": f"{100 * nulls:.1f} %"}


def _nullable_range_key(subject: Subject, scheme: Scheme) -> Iterator[Facts]:
    for column in _range_columns(subject, scheme):
        if not column.not_null and not (column.statistics and column.statistics.null_fraction > 0):
            yield {"column": column.name}


def _list_of_columns(_: Subject, scheme: Scheme) -> Iterator[Facts]:
    for level in scheme.levels:
        if isinstance(level, ListLevel) and len(level.columns) > 1:
            yield {"count": str(len(level.columns))}


def _nondeterministic(subject: Subject, scheme: Scheme) -> Iterator[Facts]:
    for column in _columns(subject, scheme, hashed=True):
        if not column.collation_deterministic:
            yield {"column": column.name}


def _user_type(subject: Subject, scheme: Scheme) -> Iterator[Facts]:
    for column in _columns(subject, scheme, hashed=True):
        name = base_name(column.base_type)
        built_in = name.endswith(_BUILT_IN_UNROUTABLE) or name in {"jsonb", "record", "aclitem"}
        if not is_hashable(column.base_type) and has_class(column.base_type, "hash") and not built_in:
            yield {"column": column.name}


def _cut(subject: Subject, scheme: Scheme) -> Iterator[Facts]:
    for level in scheme.levels:
        if not isinstance(level, RangeLevel) or not (level.interval or level.step):
            continue
        column = subject.column(level.columns[0])
        fitting = _TEMPORAL if level.interval else _NUMBERS
        if base_name(column.base_type) not in fitting:
            yield {"column": column.name, "type": column.type, "cut": level.interval or "a step"}


CHECKS: dict[str, Check] = {
    "PF201": _no_hash_class,
    "PF202": _no_btree_class,
    "PF203": _generated,
    "PF204": _null_range_key,
    "PF205": _nullable_range_key,
    "PF206": _list_of_columns,
    "PF207": _nondeterministic,
    "PF208": _user_type,
    "PF209": _cut,
}
