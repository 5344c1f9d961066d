"""Statements of the workload that fail, or do something else, on the partitioned table."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from partadvisor.advise.checks.common import Facts, missing, names
from partadvisor.advise.conditions import columns_of, equal_columns
from partadvisor.advise.movement import moved_by, sets_whole_row
from partadvisor.advise.subject import Subject, Use
from partadvisor.model.scheme import Scheme
from partadvisor.model.workload import QueryFamily, TableAccess
from partadvisor.pg import knowledge
from partadvisor.sql.unusual import UnusualKind

StatementFacts = Iterator[tuple[QueryFamily | None, Facts]]
StatementCheck = Callable[[Subject, Scheme], StatementFacts]
"""Yields, for each statement the rule applies to, the values its texts need; None for the table as a whole."""

_OF_TRANSACTION = ("xmin", "xmax", "cmin", "cmax")
_MOVED = {
    "CASCADE": "the rows that reference it are deleted",
    "SET NULL": "the columns that reference it become NULL",
    "SET DEFAULT": "the columns that reference it get their defaults",
}


def _conflict_columns(subject: Subject, constraint: str | None, columns: tuple[str, ...] | None) -> tuple[str, ...]:
    """The columns an ON CONFLICT clause names, also through its constraint; empty for none."""
    if columns:
        return columns
    for index in subject.unique_indexes:
        if constraint and constraint in (index.constraint, index.name):
            return tuple(c for c in index.columns if c)
    return ()


def _on_conflict(subject: Subject, scheme: Scheme) -> StatementFacts:
    for use, access in subject.inserts:
        columns = _conflict_columns(subject, access.conflict_constraint, access.conflict_columns)
        lacking = missing(columns, scheme)
        if columns and lacking:
            yield (
                use.family,
                {
                    "query": use.name,
                    "columns": names(list(columns)),
                    "missing": names(lacking),
                    "extended": names([*columns, *lacking]),
                },
            )


def _key_updates(subject: Subject, scheme: Scheme) -> Iterator[tuple[Use, str]]:
    """Updates that change key columns."""
    for use in subject.uses:
        for access in use.accesses:
            for column in moved_by(access, subject.relation, scheme.columns):
                yield use, column


def _updated(subject: Subject, scheme: Scheme, *, often: bool) -> StatementFacts:
    """Updates of the key that are frequent against the inserts, or those that are not."""
    inserts = sum(use.weight for use, _ in subject.inserts)
    limit = float(knowledge.load("advice.toml")["frequent_update_share"])
    for use, column in _key_updates(subject, scheme):
        if (use.weight > limit * inserts) == often:
            calls = use.family.calls_per_second
            rate = f"{use.family.calls:,.0f} times" if calls is None else f"{calls:,.1f} times a second"
            yield use.family, {"query": use.name, "column": column, "rate": rate}


def _key_updated_often(subject: Subject, scheme: Scheme) -> StatementFacts:
    yield from _updated(subject, scheme, often=True)


def _key_updated(subject: Subject, scheme: Scheme) -> StatementFacts:
    yield from _updated(subject, scheme, often=False)


def _returning_system_columns(subject: Subject, _: Scheme) -> StatementFacts:
    for use in subject.uses:
        for access in use.accesses:
            failing = [c for c in access.returning_system_columns if c in _OF_TRANSACTION]
            inserts = access.role == "insert" or (access.role == "merge" and bool(access.columns))
            if failing and inserts:
                yield use.family, {"query": use.name, "columns": names(failing)}


def _upsert_moves_row(subject: Subject, scheme: Scheme) -> StatementFacts:
    for use, access in subject.inserts:
        if access.conflict_action == "update":
            same = _conflict_columns(subject, access.conflict_constraint, access.conflict_columns)
            moved = [c for c in access.set_columns if c in scheme.columns and c not in same]
            yield from ((use.family, {"query": use.name, "column": c}) for c in moved)


def _whole_row(subject: Subject, scheme: Scheme) -> StatementFacts:
    for use in subject.uses:
        for access in use.accesses:
            column = next((c for c in access.set_columns if c in scheme.columns), None)
            if column is not None and sets_whole_row(access, subject.relation):
                yield use.family, {"query": use.name, "column": column}


def _moved_row_is_deleted(subject: Subject, scheme: Scheme) -> StatementFacts:
    for use, column in _key_updates(subject, scheme):
        for key in subject.relation.referenced_by:
            yield (
                use.family,
                {
                    "query": use.name,
                    "column": column,
                    "name": key.name,
                    "table": key.table or "another table",
                    "action": _MOVED.get(key.on_delete, "the statement fails where such rows are referenced"),
                },
            )


def _moved_row_triggers(subject: Subject, scheme: Scheme) -> StatementFacts:
    affected = [t.name for t in subject.relation.triggers if t.row and t.timing == "after"]
    if affected:
        for use, column in _key_updates(subject, scheme):
            yield use.family, {"query": use.name, "column": column, "names": names(affected)}


def _concurrent_movement(subject: Subject, scheme: Scheme) -> StatementFacts:
    movers = dict.fromkeys(use.name for use, _ in _key_updates(subject, scheme))
    if not movers:
        return
    for use in subject.uses:
        waits = any(a.role in ("update", "delete", "merge") or a.locks_rows for a in use.accesses)
        if waits:
            yield use.family, {"query": use.name, "mover": next(iter(movers))}


def _by_ctid(subject: Subject, scheme: Scheme, *, writing: bool) -> StatementFacts:
    """References found by ctid that are not fixed to one partition by equality of the key."""
    for use, access in subject.by_ctid:
        if not _one_partition(access, scheme) and writing == (access.role in ("update", "delete", "merge")):
            yield use.family, {"query": use.name, "key": names(list(scheme.columns))}


def _one_partition(access: TableAccess, scheme: Scheme) -> bool:
    """Whether the rows come from a known partition: its OID is compared, or the whole key by equality."""
    fixed = equal_columns(access.condition) | {j.column for j in access.joins}
    return "tableoid" in columns_of(access.condition) or set(scheme.columns) <= fixed


def _ctid_write(subject: Subject, scheme: Scheme) -> StatementFacts:
    yield from _by_ctid(subject, scheme, writing=True)


def _ctid_read(subject: Subject, scheme: Scheme) -> StatementFacts:
    writers = {family.fingerprint for family, _ in _by_ctid(subject, scheme, writing=True) if family}
    for family, facts in _by_ctid(subject, scheme, writing=False):
        if family is None or family.fingerprint not in writers:
            yield family, facts


def _unusual(kind: UnusualKind) -> StatementCheck:
    def check(subject: Subject, _: Scheme) -> StatementFacts:
        for request in subject.requests:
            if request.kind == kind:
                yield request.family, {"query": request.name, "table": subject.name}

    return check


def _error_names(subject: Subject, _: Scheme) -> StatementFacts:
    unique = [i.constraint or i.name for i in subject.unique_indexes]
    catching = [a for _, a in subject.inserts if not a.conflict_action]
    if unique and catching:
        yield None, {"names": names(unique)}


STATEMENT_CHECKS: dict[str, StatementCheck] = {
    "PF401": _on_conflict,
    "PF402": _key_updated_often,
    "PF403": _key_updated,
    "PF404": _returning_system_columns,
    "PF405": _upsert_moves_row,
    "PF406": _whole_row,
    "PF407": _moved_row_is_deleted,
    "PF408": _moved_row_triggers,
    "PF409": _concurrent_movement,
    "PF410": _ctid_write,
    "PF411": _ctid_read,
    "PF412": _unusual("only"),
    "PF413": _unusual("truncate_only"),
    "PF414": _unusual("copy_out"),
    "PF415": _unusual("copy_freeze"),
    "PF416": _unusual("index_concurrently"),
    "PF417": _unusual("cluster"),
    "PF418": _unusual("storage_parameters"),
    "PF419": _unusual("tableoid"),
    "PF420": _error_names,
}
