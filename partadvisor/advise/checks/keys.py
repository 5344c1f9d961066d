"""What unique, exclusion and foreign keys demand of the partition key."""

from __future__ import annotations

from collections.abc import Iterator

from partadvisor.advise.checks.common import Check, Facts, missing, names
from partadvisor.advise.subject import Subject
from partadvisor.model.catalog import Index
from partadvisor.model.scheme import Scheme


def _index_facts(index: Index, scheme: Scheme) -> Facts:
    lacking = missing(index.columns, scheme)
    return {
        "name": index.constraint or index.name,
        "what": "constraint" if index.constraint else "index",
        "columns": names(index.columns),
        "missing": names(lacking),
        "extended": names([*(c for c in index.columns if c), *lacking]),
    }


def _primary_key(subject: Subject, scheme: Scheme) -> Iterator[Facts]:
    for index in subject.unique_indexes:
        if index.primary and missing(index.columns, scheme):
            yield _index_facts(index, scheme)


def _unique(subject: Subject, scheme: Scheme) -> Iterator[Facts]:
    for index in subject.unique_indexes:
        if not index.primary and None not in index.columns and missing(index.columns, scheme):
            yield _index_facts(index, scheme)


def _unique_expression(subject: Subject, scheme: Scheme) -> Iterator[Facts]:
    for index in subject.unique_indexes:
        if None in index.columns and missing(index.columns, scheme):
            yield _index_facts(index, scheme)


def _exclusion(subject: Subject, _: Scheme) -> Iterator[Facts]:
    for constraint in subject.exclusions:
        yield {"name": constraint.name}


def _exclusion_lacks_key(subject: Subject, scheme: Scheme) -> Iterator[Facts]:
    for constraint in subject.exclusions:
        lacking = [c for c in scheme.columns if not _excludes_by_equality(constraint.definition, c)]
        if lacking:
            yield {"name": constraint.name, "missing": names(lacking)}


def _excludes_by_equality(definition: str, column: str) -> bool:
    spelled = (f"{column} WITH =", f'"{column}" WITH =')
    return any(f"{start}{s}" in definition for s in spelled for start in ("(", " "))


def _inbound_foreign_key(subject: Subject, scheme: Scheme) -> Iterator[Facts]:
    for key in subject.relation.referenced_by:
        lacking = missing(key.referenced_columns, scheme)
        if lacking:
            yield {
                "name": key.name,
                "table": key.table or "another table",
                "columns": names(key.referenced_columns),
                "missing": names(lacking),
                "extended": names([*key.referenced_columns, *lacking]),
            }


def _any_inbound_foreign_key(subject: Subject, _: Scheme) -> Iterator[Facts]:
    for key in subject.relation.referenced_by:
        yield {"name": key.name, "table": key.table or "another table"}


CHECKS: dict[str, Check] = {
    "PF101": _primary_key,
    "PF102": _unique,
    "PF103": _unique_expression,
    "PF104": _exclusion,
    "PF105": _exclusion_lacks_key,
    "PF106": _inbound_foreign_key,
    "PF107": _any_inbound_foreign_key,
}
