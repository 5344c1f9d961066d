"""What is known of relations at one point of a script: from the catalog, and from the statements before.

A relation that neither describes is there as well, with ``known`` false and only what the script did to it.
All names are ``schema.name``, unquoted.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

from partadvisor.model.ddl_parts import Bound, CheckExpression, ConstraintKind, PartitionBy

TableKind = Literal["table", "partitioned table", "foreign table", "view", "materialized view", "sequence", "unknown"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnState:
    """A column. ``sequence`` is the one it owns. ``has_default`` also for identity; ``not_null`` False: nobody said."""

    name: str
    type: str = ""
    not_null: bool = False
    default: str | None = None
    identity: str = ""
    generated: str = ""
    sequence: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ConstraintState:
    """A constraint. ``created`` is the position of the statement that made it, None: it was there before."""

    name: str
    kind: ConstraintKind
    columns: tuple[str, ...] = ()
    check: CheckExpression | None = None
    references: str | None = None
    referenced_columns: tuple[str, ...] = ()
    validated: bool = True
    enforced: bool = True
    no_inherit: bool = False
    deferrable: bool = False
    created: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexState:
    """An index. ``valid`` is false for ON ONLY a partitioned table until the last partition's index is attached."""

    name: str
    table: str
    columns: tuple[str | None, ...] = ()
    included: tuple[str, ...] = ()
    unique: bool = False
    valid: bool = True
    where: str | None = None
    constraint: bool = False
    method: str = "btree"
    concurrently: bool = False
    attached: tuple[str, ...] = ()
    created: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A relation.

    ``created``: position of the statement of this file that made it; such a table is ``new``: nobody else uses it,
    until it takes the name of one that was in use. ``filled`` tells whether this file put rows into it.
    ``rows``, ``bytes``, ``reads_per_second`` and ``writes_per_second`` come from a snapshot, None: unknown.
    ``children`` inherit from it, ``bases`` are what a view reads. ``statistics`` are extended statistics objects.
    ``statement_triggers`` are those of ``triggers`` that are known to be FOR EACH STATEMENT.
    ``referenced_by`` are tables with a foreign key to it. ``row_transition_triggers`` are row triggers with a
    transition table, which no partition may have.
    """

    name: str
    kind: TableKind = "unknown"
    known: bool = False
    created: int | None = None
    live: bool = True
    filled: bool = True
    temporary: bool = False
    columns: Mapping[str, ColumnState] = field(default_factory=dict)
    constraints: Mapping[str, ConstraintState] = field(default_factory=dict)
    indexes: Mapping[str, IndexState] = field(default_factory=dict)
    triggers: tuple[str, ...] = ()
    statement_triggers: tuple[str, ...] = ()
    row_transition_triggers: tuple[str, ...] = ()
    partition_by: PartitionBy | None = None
    parent: str | None = None
    bound: Bound | None = None
    partitions: tuple[str, ...] = ()
    default_partition: str | None = None
    inherits: tuple[str, ...] = ()
    children: tuple[str, ...] = ()
    bases: tuple[str, ...] = ()
    referenced_by: tuple[str, ...] = ()
    row_security: bool = False
    policies: tuple[str, ...] = ()
    grants: tuple[str, ...] = ()
    publications: tuple[str, ...] = ()
    statistics: tuple[str, ...] = ()
    of_type: str | None = None
    replica_identity: str = "default"
    views: tuple[str, ...] = ()
    owned_sequences: tuple[str, ...] = ()
    rows: float | None = None
    bytes: int | None = None
    reads_per_second: float | None = None
    writes_per_second: float | None = None

    @property
    def new(self) -> bool:
        """Made by this file and used by nobody else yet."""
        return not self.live or self.temporary

    @property
    def empty(self) -> bool:
        """Made by this file and never filled by it, or known to hold nothing."""
        return not self.filled or self.bytes == 0

    @property
    def partitioned(self) -> bool:
        """Known to be partitioned; false also when nothing is known."""
        return self.kind == "partitioned table"

    @property
    def primary_key(self) -> ConstraintState | None:
        """The primary key, if one is known."""
        return next((c for c in self.constraints.values() if c.kind == "primary_key"), None)

    def of_kind(self, kind: ConstraintKind) -> Iterator[ConstraintState]:
        """Its constraints of one kind."""
        return (c for c in self.constraints.values() if c.kind == kind)
