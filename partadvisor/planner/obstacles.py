"""What cannot come along to a partitioned table, found before anything is touched.

Each obstacle is a sentence and what to do about it. A plan is made only when there is none: a feature that were
silently left behind could expose rows (row security), lose them (rules), or break clients weeks later.
"""

from __future__ import annotations

from collections.abc import Iterator

from partadvisor.model.base import Value
from partadvisor.model.catalog import Constraint, Index, Relation
from partadvisor.model.errors import UsageError
from partadvisor.model.scheme import Scheme
from partadvisor.model.snapshot import Snapshot
from partadvisor.pg import versions
from partadvisor.pg.quote import fit_identifier
from partadvisor.planner.partitions import AFTER, BEFORE, Layout, column_of

OLDEST_MAJOR = 13


class Obstacle(Value, frozen=True, kw_only=True):
    """One reason against, and the way round it."""

    reason: str
    remedy: str

    def __str__(self) -> str:
        return f"{self.reason}. {self.remedy}."


def refuse(table: str, obstacles: list[Obstacle]) -> None:
    """Raises when there is any obstacle.

    Raises:
        UsageError: listing every one.
    """
    if obstacles:
        raise UsageError(
            f'table "{table}" cannot be converted as it is',
            detail="\n".join(str(obstacle) for obstacle in obstacles),
            hint="Remove what stands in the way, collect again, and plan again.",
        )


def find_obstacles(
    snapshot: Snapshot, relation: Relation, scheme: Scheme, layout: Layout, *, mirrored: bool
) -> list[Obstacle]:
    """Everything about ``relation`` that a partitioned table by ``scheme`` could not carry.

    With ``mirrored`` both tables are kept equal for a time, which needs more.
    """
    major = snapshot.server.major
    found = [
        *_of_the_table(relation, major),
        *_of_columns(relation, scheme),
        *_of_indexes(relation, scheme, major, mirrored=mirrored),
        *_of_constraints(relation, major),
        *_of_triggers(relation),
        *_of_publications(relation),
        *_of_dependents(relation),
        *_of_names(snapshot, relation, layout),
    ]
    if snapshot.redacted:
        found.append(_no("the snapshot is redacted, so statements of the plan would be wrong", "Collect without it"))
    return found


def _no(reason: str, remedy: str) -> Obstacle:
    return Obstacle(reason=reason, remedy=remedy)


def _of_the_table(relation: Relation, major: int) -> Iterator[Obstacle]:
    if major < OLDEST_MAJOR:
        yield _no(f"the server is PostgreSQL {major}", f"Upgrade to {OLDEST_MAJOR} or later first")
    if relation.kind not in {"table", "partitioned_table"}:
        yield _no(f"it is a {relation.kind.replace('_', ' ')}", "Only a table can be converted")
    if relation.parent:
        yield _no(f'it is a partition of "{relation.parent}"', "Convert the partitioned table instead")
    if relation.persistence != "permanent":
        yield _no(f"it is {relation.persistence}", "ALTER TABLE … SET LOGGED first")
    if relation.inheritance_parents or relation.has_inheritance_children:
        yield _no("it takes part in inheritance", "Undo it with ALTER TABLE … NO INHERIT")
    if relation.of_type:
        yield _no(f"it is a table of type {relation.of_type}", "ALTER TABLE … NOT OF first")
    if relation.extension:
        yield _no(f'it belongs to extension "{relation.extension}"', "Take it out with ALTER EXTENSION … DROP TABLE")
    for rule in relation.rules:
        yield _no(f'rule "{rule.name}" rewrites its statements', "Replace the rule by a trigger")


def _of_columns(relation: Relation, scheme: Scheme) -> Iterator[Obstacle]:
    for name in scheme.columns:
        column = column_of(relation, name)
        if column.generated:
            yield _no(f'key column "{name}" is generated', "Partition by the columns it is made from")


def _of_indexes(relation: Relation, scheme: Scheme, major: int, *, mirrored: bool) -> Iterator[Obstacle]:
    for index in relation.indexes:
        if not index.valid:
            yield _no(f'index "{index.name}" is invalid', "REINDEX or drop it")
        elif index.exclusion:
            yield _no(f'exclusion constraint "{index.name}" cannot be mirrored row by row', "Drop it")
        elif index.unique:
            yield from _of_unique_index(index, scheme)
            if mirrored and not index.immediate:
                reason = f'unique index "{index.name}" is deferrable, so rows cannot be mirrored by it'
                yield _no(reason, "Make it NOT DEFERRABLE")
        if index.nulls_not_distinct and major < 15:
            yield _no(f'index "{index.name}" treats nulls as equal', "Needs PostgreSQL 15")


def _of_unique_index(index: Index, scheme: Scheme) -> Iterator[Obstacle]:
    missing = [column for column in scheme.columns if column not in index.columns]
    what = "primary key" if index.primary else "unique index"
    if missing:
        names = ", ".join(f'"{column}"' for column in missing)
        yield _no(
            f'{what} "{index.name}" does not contain key column {names}',
            "Choose a key that every unique index contains, extend the index, or drop it",
        )
    if None in index.columns:
        yield _no(f'{what} "{index.name}" is on an expression', "Drop it, or make it not unique")


def _of_constraints(relation: Relation, major: int) -> Iterator[Obstacle]:
    for constraint in relation.constraints:
        if "NOT ENFORCED" in constraint.definition:
            yield _no(f'constraint "{constraint.name}" is not enforced', "Drop it")
        elif constraint.kind in {"check", "not_null"}:
            if not constraint.validated:
                yield _no(f'constraint "{constraint.name}" is not valid yet', "VALIDATE CONSTRAINT or drop it")
            if constraint.no_inherit:
                yield _no(f'constraint "{constraint.name}" is NO INHERIT', "Make it inheritable, or drop it")
        elif constraint.kind == "foreign_key" and not constraint.validated:
            yield _no(f'foreign key "{constraint.name}" is not valid yet', "VALIDATE CONSTRAINT or drop it")
    yield from _of_inbound(relation, major)


def _of_inbound(relation: Relation, major: int) -> Iterator[Obstacle]:
    for constraint in inbound(relation):
        if "NOT ENFORCED" in constraint.definition:
            yield _no(f'foreign key "{constraint.name}" of "{constraint.table}" is not enforced', "Drop it")
    partitioned = {c.table for c in relation.referenced_by if c.inherited}
    if partitioned and not versions.has("not_valid_foreign_key", major):
        yield _no(
            "a partitioned table references it, and adding that foreign key again would check all rows under lock",
            "Drop the foreign key for the time of the conversion",
        )


def inbound(relation: Relation) -> tuple[Constraint, ...]:
    """Foreign keys of *other* tables to this one, without the copies that partitions have."""
    return tuple(c for c in relation.referenced_by if not c.inherited and c.table != relation.qualified_name)


def outbound(relation: Relation) -> tuple[Constraint, ...]:
    """Foreign keys of this table, to itself included."""
    return tuple(c for c in relation.constraints if c.kind == "foreign_key")


def _of_triggers(relation: Relation) -> Iterator[Obstacle]:
    for trigger in relation.triggers:
        if trigger.row and trigger.transition_tables:
            yield _no(
                f'row trigger "{trigger.name}" has transition tables, which partitioned tables do not allow',
                "Make it a statement trigger",
            )


def _of_publications(relation: Relation) -> Iterator[Obstacle]:
    for publication in relation.publications:
        if not publication.explicit:
            yield _no(
                f'publication "{publication.name}" covers all tables of the database or schema, so it would send the '
                "copy to subscribers that do not have it",
                "Name the tables in the publication instead",
            )
        elif not publication.via_partition_root:
            yield _no(
                f'publication "{publication.name}" would publish partitions under their own names, which subscribers '
                "do not have",
                "ALTER PUBLICATION … SET (publish_via_partition_root = true)",
            )


def _of_dependents(relation: Relation) -> Iterator[Obstacle]:
    reasons = {
        "materialized_view": "would keep reading the old table and cannot be redefined",
        "function": "is bound to the old table or its row type",
        "rule": "is bound to the old table",
    }
    for dependent in relation.dependents:
        if dependent.kind in reasons:
            kind = dependent.kind.replace("_", " ")
            yield _no(f'{kind} "{dependent.name}" {reasons[dependent.kind]}', "Drop it and create it again afterwards")
        elif dependent.kind == "view" and not dependent.definition:
            yield _no(f'the definition of view "{dependent.name}" could not be read', "Collect with more rights")


def _of_names(snapshot: Snapshot, relation: Relation, layout: Layout) -> Iterator[Obstacle]:
    tables = {relation.qualified_name, *(str(c.table) for c in inbound(relation))}
    tables |= {str(c.references) for c in outbound(relation)} | {d.name for d in relation.dependents}
    for schema in sorted({r.schema for r in snapshot.relations if "." in r.schema and r.qualified_name in tables}):
        yield _no(f'the name of schema "{schema}" has a dot', "Rename the schema")
    names = [part.name for part in layout.tree]
    if any(name.endswith(AFTER) for name in names):
        names.append(fit_identifier(relation.name, BEFORE))
    for name in sorted(name for name in set(names) if names.count(name) > 1):
        yield _no(f'two partitions would be called "{name}"', "Shorten the table's name")
    taken = {r.name for r in snapshot.relations if r.schema == relation.schema}
    for name in names:
        if name in taken:
            yield _no(f'relation "{relation.schema}.{name}" exists, and a partition needs that name', "Rename it")
