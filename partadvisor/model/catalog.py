"""What the catalog says: relations, columns, statistics, constraints and everything that hangs on them.

Names are plain (unquoted) identifiers; ``definition`` texts are the server's own ``pg_get_*def`` output
and are the only SQL in here. Sizes are bytes, ``rows`` is ``reltuples`` (-1: never analysed).
"""

from __future__ import annotations

from typing import Literal

from partadvisor.model.base import Value

RelationKind = Literal["table", "partitioned_table", "foreign_table", "view", "materialized_view"]
ConstraintKind = Literal["primary_key", "unique", "foreign_key", "check", "exclusion", "not_null", "trigger"]


class ColumnStatistics(Value, frozen=True, kw_only=True):
    """One row of ``pg_stats``; values are text output of the column's type.

    In a redacted snapshot ``values_hashed`` is true: ``most_common`` then holds the partition hash of each
    value as a decimal string (type's extended hash function, partition seed) and ``histogram`` is empty.
    """

    null_fraction: float = 0.0
    n_distinct: float = 0.0
    avg_width: int = 0
    correlation: float | None = None
    most_common: tuple[tuple[str, float], ...] = ()
    histogram: tuple[str, ...] = ()
    inherited: bool = False
    values_hashed: bool = False


class Column(Value, frozen=True, kw_only=True):
    """A live column. ``type`` is ``format_type`` text of the declared type, ``base_type`` sees through domains.

    ``collation`` is SQL text (``"C"``, ``public.ci``), None when it is the type's own. ``storage`` and
    ``type_storage`` are as in ``pg_attribute`` and ``pg_type`` (p, e, m, x).
    """

    name: str
    number: int
    type: str
    base_type: str
    not_null: bool = False
    default: str | None = None
    identity: Literal["", "always", "by_default"] = ""
    generated: Literal["", "stored", "virtual"] = ""
    owned_sequence: str | None = None
    collation: str | None = None
    collation_deterministic: bool = True
    storage: str = ""
    type_storage: str = ""
    compression: str = ""
    statistics_target: int | None = None
    options: tuple[str, ...] = ()
    grants: tuple[str, ...] = ()
    comment: str | None = None
    statistics: ColumnStatistics | None = None


class Index(Value, frozen=True, kw_only=True):
    """An index. ``columns`` are the key columns in order, None where the key is an expression.

    ``rows`` is its ``reltuples``: fewer than the table's when the index is partial; None and -1 are unknown.
    """

    name: str
    definition: str
    columns: tuple[str | None, ...]
    included: tuple[str, ...] = ()
    method: str = "btree"
    unique: bool = False
    primary: bool = False
    exclusion: bool = False
    valid: bool = True
    immediate: bool = True
    nulls_not_distinct: bool = False
    predicate: str | None = None
    clustered: bool = False
    replica_identity: bool = False
    constraint: str | None = None
    tablespace: str | None = None
    size_bytes: int = 0
    rows: float | None = None
    comment: str | None = None


class Constraint(Value, frozen=True, kw_only=True):
    """A constraint. For a foreign key ``references`` names the other table as ``schema.table``.

    In ``Relation.referenced_by`` the constraint belongs to ``table`` and points here. ``on_delete`` and
    ``on_update`` are words of SQL (``NO ACTION``, ``CASCADE``, …), empty for other kinds.
    """

    name: str
    kind: ConstraintKind
    definition: str
    columns: tuple[str, ...] = ()
    table: str | None = None
    references: str | None = None
    referenced_columns: tuple[str, ...] = ()
    on_delete: str = ""
    on_update: str = ""
    index: str | None = None
    validated: bool = True
    deferrable: bool = False
    inherited: bool = False
    no_inherit: bool = False
    comment: str | None = None


class Trigger(Value, frozen=True, kw_only=True):
    """A user trigger (internal ones are left out). ``enabled``: O, D, R or A as in ``pg_trigger``."""

    name: str
    definition: str
    enabled: str = "O"
    timing: Literal["before", "after", "instead"] = "after"
    row: bool = True
    transition_tables: bool = False
    constraint: bool = False
    inherited: bool = False
    comment: str | None = None


class Policy(Value, frozen=True, kw_only=True):
    """A row security policy, with its parts as the server prints them."""

    name: str
    permissive: bool
    roles: tuple[str, ...]
    command: str
    using: str | None = None
    check: str | None = None
    comment: str | None = None


class Publication(Value, frozen=True, kw_only=True):
    """A publication that covers the table."""

    name: str
    via_partition_root: bool = False
    all_tables: bool = False
    explicit: bool = True
    row_filter: str | None = None
    columns: tuple[str, ...] = ()


class Dependent(Value, frozen=True, kw_only=True):
    """An object whose definition names the table: view, materialized view, function, rule or sequence."""

    kind: str
    name: str
    definition: str | None = None


class ExtendedStatistics(Value, frozen=True, kw_only=True):
    """``CREATE STATISTICS`` object on the table."""

    name: str
    definition: str
    target: int | None = None
    comment: str | None = None


class PartitionKeyInfo(Value, frozen=True, kw_only=True):
    """The key of a partitioned table, as ``pg_get_partkeydef`` prints it, with plain columns where possible."""

    strategy: Literal["hash", "range", "list"]
    definition: str
    columns: tuple[str | None, ...]


class TableActivity(Value, frozen=True, kw_only=True):
    """Counters of ``pg_stat_all_tables``, cumulative since the statistics were reset."""

    seq_scan: int = 0
    idx_scan: int = 0
    inserted: int = 0
    updated: int = 0
    hot_updated: int = 0
    deleted: int = 0
    live_rows: int = 0
    dead_rows: int = 0
    last_analyze: str | None = None
    last_autovacuum: str | None = None


class Relation(Value, frozen=True, kw_only=True):
    """A table, partition or view with all that belongs to it."""

    oid: int
    schema: str
    name: str
    kind: RelationKind
    owner: str = ""
    persistence: Literal["permanent", "unlogged", "temporary"] = "permanent"
    rows: float = -1.0
    pages: int = 0
    all_visible_pages: int | None = None
    heap_bytes: int = 0
    index_bytes: int = 0
    toast_bytes: int = 0
    toast_oid: int = 0
    columns: tuple[Column, ...] = ()
    constraints: tuple[Constraint, ...] = ()
    referenced_by: tuple[Constraint, ...] = ()
    indexes: tuple[Index, ...] = ()
    triggers: tuple[Trigger, ...] = ()
    rules: tuple[Dependent, ...] = ()
    policies: tuple[Policy, ...] = ()
    row_security: bool = False
    force_row_security: bool = False
    replica_identity: Literal["default", "nothing", "full", "index"] = "default"
    grants: tuple[str, ...] = ()
    publications: tuple[Publication, ...] = ()
    dependents: tuple[Dependent, ...] = ()
    extended_statistics: tuple[ExtendedStatistics, ...] = ()
    options: tuple[str, ...] = ()
    toast_options: tuple[str, ...] = ()
    tablespace: str | None = None
    access_method: str | None = None
    of_type: str | None = None
    inheritance_parents: tuple[str, ...] = ()
    has_inheritance_children: bool = False
    extension: str | None = None
    comment: str | None = None
    partition_key: PartitionKeyInfo | None = None
    parent: str | None = None
    partition_bound: str | None = None
    detach_pending: bool = False
    activity: TableActivity = TableActivity()

    @property
    def qualified_name(self) -> str:
        """``schema.name``, unquoted: the key used everywhere in snapshots and advice."""
        return f"{self.schema}.{self.name}"

    def column(self, name: str) -> Column | None:
        """The column of that exact name, or None."""
        return next((c for c in self.columns if c.name == name), None)
