"""Statements of the workload that would fail or behave worse on the partitioned table."""

from __future__ import annotations

from collections.abc import Iterator

from partadvisor.advise.checks.common import Check, Facts, missing, names
from partadvisor.advise.subject import Subject
from partadvisor.model.scheme import Scheme
from partadvisor.pg import knowledge


def _conflict_columns(subject: Subject, constraint: str | None, columns: tuple[str, ...] | None) -> tuple[str, ...]:
    """The columns an ON CONFLICT clause names, also through its constraint; empty for none."""
    if columns:
        return columns
    for index in subject.unique_indexes:
        if constraint and constraint in (index.constraint, index.name):
            return tuple(c for c in index.columns if c)
    return ()


def _on_conflict(subject: Subject, scheme: Scheme) -> Iterator[Facts]:
    for use, access in subject.inserts:
        columns = _conflict_columns(subject, access.conflict_constraint, access.conflict_columns)
        lacking = missing(columns, scheme)
        if columns and lacking:
            yield {
                "query": use.name,
                "columns": names(list(columns)),
                "missing": names(lacking),
                "extended": names([*columns, *lacking]),
            }


def _key_updates(subject: Subject, scheme: Scheme) -> Iterator[tuple[Facts, bool]]:
    """Updates of key columns, and whether they are frequent against the inserts."""
    inserts = sum(use.weight for use, _ in subject.inserts)
    limit = float(knowledge.load("advice.toml")["frequent_update_share"])
    for use in subject.uses:
        for access in use.accesses:
            if access.role not in ("update", "merge"):
                continue
            for column in access.set_columns:
                if column in scheme.columns:
                    calls = use.family.calls_per_second
                    rate = f"{use.family.calls:,.0f} times" if calls is None else f"{calls:,.1f} times a second"
                    yield {"query": use.name, "column": column, "rate": rate}, use.weight > limit * inserts


def _key_updated_often(subject: Subject, scheme: Scheme) -> Iterator[Facts]:
    yield from (facts for facts, frequent in _key_updates(subject, scheme) if frequent)


def _key_updated(subject: Subject, scheme: Scheme) -> Iterator[Facts]:
    yield from (facts for facts, frequent in _key_updates(subject, scheme) if not frequent)


def _returning_system_columns(subject: Subject, _: Scheme) -> Iterator[Facts]:
    for use, access in subject.inserts:
        failing = [c for c in access.returning_system_columns if c in ("xmin", "xmax", "cmin", "cmax")]
        if failing:
            yield {"query": use.name, "columns": names(failing)}


def _upsert_moves_row(subject: Subject, scheme: Scheme) -> Iterator[Facts]:
    for use, access in subject.inserts:
        if access.conflict_action == "update":
            same = _conflict_columns(subject, access.conflict_constraint, access.conflict_columns)
            moved = [c for c in access.set_columns if c in scheme.columns and c not in same]
            yield from ({"query": use.name, "column": c} for c in moved)


CHECKS: dict[str, Check] = {
    "PF401": _on_conflict,
    "PF402": _key_updated_often,
    "PF403": _key_updated,
    "PF404": _returning_system_columns,
    "PF405": _upsert_moves_row,
}
