"""What a statement does, as typed facts: one action a thing done, so an ALTER TABLE of three commands has three.

Only what reviewing needs is kept. Every action has the ``span`` of the part of the file that asks for it.
"""

from __future__ import annotations

from typing import Literal

from partadvisor.model.base import Value
from partadvisor.model.ddl_parts import Bound, Column, Constraint, Name, PartitionBy, Span

LockMode = Literal[
    "ACCESS SHARE",
    "ROW SHARE",
    "ROW EXCLUSIVE",
    "SHARE UPDATE EXCLUSIVE",
    "SHARE",
    "SHARE ROW EXCLUSIVE",
    "EXCLUSIVE",
    "ACCESS EXCLUSIVE",
]
"""Table-level lock modes in the words of LOCK TABLE, weakest first."""


class Action(Value, frozen=True, kw_only=True):
    """Base of all actions."""

    span: Span


class CreateTable(Action, frozen=True, kw_only=True):
    """CREATE TABLE in all its forms; ``from_query`` for CREATE TABLE AS and SELECT INTO.

    ``columns[…].constraints`` and ``constraints`` together are all it defines. ``like_options`` are words such as
    ``all``, ``identity``, ``constraints``, ``indexes``, after EXCLUDING has been taken away.
    """

    table: Name
    columns: tuple[Column, ...] = ()
    constraints: tuple[Constraint, ...] = ()
    partition_by: PartitionBy | None = None
    partition_of: Name | None = None
    bound: Bound | None = None
    inherits: tuple[Name, ...] = ()
    like: tuple[Name, ...] = ()
    like_options: tuple[str, ...] = ()
    persistence: Literal["permanent", "unlogged", "temporary"] = "permanent"
    if_not_exists: bool = False
    from_query: bool = False


class AlterTable(Action, frozen=True, kw_only=True):
    """Base of the commands of ALTER TABLE; ``only``: without the descendants."""

    table: Name
    only: bool = False
    if_exists: bool = False


class AttachPartition(AlterTable, frozen=True, kw_only=True):
    """ALTER TABLE … ATTACH PARTITION."""

    partition: Name
    bound: Bound


class DetachPartition(AlterTable, frozen=True, kw_only=True):
    """ALTER TABLE … DETACH PARTITION [CONCURRENTLY | FINALIZE]."""

    partition: Name
    concurrently: bool = False
    finalize: bool = False


class SplitPartition(AlterTable, frozen=True, kw_only=True):
    """ALTER TABLE … SPLIT PARTITION, of versions that have it; ``into`` are the new partitions."""

    partition: Name
    into: tuple[Name, ...] = ()


class MergePartitions(AlterTable, frozen=True, kw_only=True):
    """ALTER TABLE … MERGE PARTITIONS, of versions that have it."""

    partitions: tuple[Name, ...]
    into: Name


class AddColumn(AlterTable, frozen=True, kw_only=True):
    """ALTER TABLE … ADD COLUMN."""

    column: Column
    if_not_exists: bool = False


class DropColumn(AlterTable, frozen=True, kw_only=True):
    """ALTER TABLE … DROP COLUMN."""

    column: str
    cascade: bool = False


class AlterColumnType(AlterTable, frozen=True, kw_only=True):
    """ALTER TABLE … ALTER COLUMN … TYPE; ``using`` is the expression's text."""

    column: str
    type: str
    type_modifiers: tuple[str, ...] = ()
    using: str | None = None


class AlterColumn(AlterTable, frozen=True, kw_only=True):
    """Any other command on one column; ``value`` is the text or number it sets."""

    column: str
    what: Literal[
        "set not null", "drop not null", "set default", "drop default", "add identity", "set identity", "drop identity",
        "set expression", "drop expression", "set statistics", "set storage", "set compression", "set options",
        "reset options",
    ]  # fmt: skip
    value: str | None = None


class AddConstraint(AlterTable, frozen=True, kw_only=True):
    """ALTER TABLE … ADD constraint."""

    constraint: Constraint


class ValidateConstraint(AlterTable, frozen=True, kw_only=True):
    """ALTER TABLE … VALIDATE CONSTRAINT."""

    constraint: str


class DropConstraint(AlterTable, frozen=True, kw_only=True):
    """ALTER TABLE … DROP CONSTRAINT."""

    constraint: str
    cascade: bool = False


class AlterTableOther(AlterTable, frozen=True, kw_only=True):
    """Any other command; ``names`` are the trigger, rule, role, tablespace, parent, index … it names.

    ``options`` are storage parameters of SET (…) and RESET (…).
    """

    what: Literal[
        "alter constraint", "set options", "reset options", "set tablespace", "set logged", "set unlogged",
        "set access method", "enable row security", "disable row security", "force row security",
        "no force row security", "replica identity", "inherit", "no inherit", "cluster on", "set without cluster",
        "enable trigger", "disable trigger", "enable rule", "disable rule", "owner", "of type", "not of",
        "set without oids", "foreign options", "other",
    ]  # fmt: skip
    names: tuple[str, ...] = ()
    options: tuple[tuple[str, str], ...] = ()
    parent: Name | None = None


class Rename(Action, frozen=True, kw_only=True):
    """ALTER … RENAME. ``table`` is the relation, also the one of a column or constraint; ``old`` the renamed part."""

    kind: str
    table: Name | None
    old: str
    new: str


class SetSchema(Action, frozen=True, kw_only=True):
    """ALTER … SET SCHEMA."""

    kind: str
    name: Name | None
    schema: str


class CreateIndex(Action, frozen=True, kw_only=True):
    """CREATE INDEX; an expression is None among the ``columns``, and named in ``parts`` as the server names it."""

    table: Name
    index: str | None
    columns: tuple[str | None, ...] = ()
    parts: tuple[str, ...] = ()
    included: tuple[str, ...] = ()
    unique: bool = False
    concurrently: bool = False
    only: bool = False
    if_not_exists: bool = False
    method: str = "btree"
    where: str | None = None


class AttachIndex(Action, frozen=True, kw_only=True):
    """ALTER INDEX parent ATTACH PARTITION child."""

    parent: Name
    index: Name


class AlterIndex(Action, frozen=True, kw_only=True):
    """Other ALTER INDEX commands; ``what`` as in ``AlterTableOther``."""

    index: Name
    what: str


class Drop(Action, frozen=True, kw_only=True):
    """DROP of anything; ``kind`` in the words of SQL, lower case (``table``, ``index``, ``materialized view``).

    For a trigger, policy or rule ``names`` hold its table and ``parts`` its own name.
    """

    kind: str
    names: tuple[Name, ...]
    parts: tuple[str, ...] = ()
    cascade: bool = False
    concurrently: bool = False
    if_exists: bool = False


class Truncate(Action, frozen=True, kw_only=True):
    """TRUNCATE."""

    tables: tuple[Name, ...]
    only: tuple[bool, ...] = ()
    cascade: bool = False


class LockTable(Action, frozen=True, kw_only=True):
    """LOCK TABLE."""

    tables: tuple[Name, ...]
    mode: LockMode
    nowait: bool = False


class Maintain(Action, frozen=True, kw_only=True):
    """VACUUM, ANALYZE, CLUSTER, REINDEX, REFRESH MATERIALIZED VIEW; no ``names``: everything.

    ``kind`` of a REINDEX is what is named: ``table``, ``index``, ``schema``, ``database``, ``system``.
    """

    command: Literal["vacuum", "analyze", "cluster", "reindex", "refresh materialized view"]
    names: tuple[Name, ...] = ()
    kind: str = "table"
    full: bool = False
    concurrently: bool = False
    options: tuple[str, ...] = ()


class CreateTrigger(Action, frozen=True, kw_only=True):
    """CREATE TRIGGER; ``events`` are ``insert``, ``update``, ``delete``, ``truncate``."""

    table: Name
    trigger: str
    timing: Literal["before", "after", "instead"]
    events: tuple[str, ...]
    row: bool
    function: str
    constraint: bool = False
    references: Name | None = None
    transition_tables: bool = False


class CreateRoutine(Action, frozen=True, kw_only=True):
    """CREATE FUNCTION or PROCEDURE; ``body`` as between its quotes, None for BEGIN ATOMIC and RETURN."""

    name: Name
    kind: Literal["function", "procedure"]
    language: str
    body: str | None
    body_span: Span | None = None
    settings: tuple[tuple[str, str], ...] = ()


class DoBlock(Action, frozen=True, kw_only=True):
    """DO."""

    language: str
    body: str
    body_span: Span | None = None


class CreateOther(Action, frozen=True, kw_only=True):
    """CREATE of a view, sequence, type, policy, rule, statistics, publication, … ; ``tables`` it names."""

    kind: str
    name: Name | None
    tables: tuple[Name, ...] = ()
    replace: bool = False
    if_not_exists: bool = False


class AlterOther(Action, frozen=True, kw_only=True):
    """ALTER of anything that is no table or index; ``tables`` it names (OWNED BY, publication members).

    ``options`` are those of a sequence (``as``, ``restart``, ``maxvalue``) and the ``value`` of an enum type.
    """

    kind: str
    name: Name | None
    what: str = ""
    tables: tuple[Name, ...] = ()
    options: tuple[tuple[str, str], ...] = ()


class Insert(Action, frozen=True, kw_only=True):
    """INSERT. ``rows`` of VALUES, None with a query. ``conflict_columns`` as written; an empty tuple: any conflict."""

    table: Name
    columns: tuple[str, ...] = ()
    rows: int | None = None
    sources: tuple[Name, ...] = ()
    on_conflict: Literal["", "nothing", "update"] = ""
    conflict_columns: tuple[str, ...] = ()
    limited: bool = False
    where: str | None = None


class Update(Action, frozen=True, kw_only=True):
    """UPDATE; ``where`` is the condition's text."""

    table: Name
    columns: tuple[str, ...] = ()
    where: str | None = None


class Delete(Action, frozen=True, kw_only=True):
    """DELETE; ``where`` is the condition's text."""

    table: Name
    where: str | None = None


class Merge(Action, frozen=True, kw_only=True):
    """MERGE."""

    table: Name


class Copy(Action, frozen=True, kw_only=True):
    """COPY; ``table`` None for a query."""

    table: Name | None
    direction: Literal["from", "to"]


class Query(Action, frozen=True, kw_only=True):
    """SELECT, VALUES, TABLE, EXPLAIN without ANALYZE; ``locking`` for FOR UPDATE and the like."""

    locking: str = ""


class Call(Action, frozen=True, kw_only=True):
    """CALL."""

    procedure: str


class SetVariable(Action, frozen=True, kw_only=True):
    """SET, RESET and ``set_config`` with literals; ``value`` None for DEFAULT and RESET, "" for what is no literal.

    ``name`` is lower case; "all" for RESET ALL and DISCARD ALL. Several values (search_path) are in ``values``.
    """

    name: str
    value: str | None
    values: tuple[str, ...] = ()
    local: bool = False


class Transaction(Action, frozen=True, kw_only=True):
    """BEGIN, COMMIT, …; ``chain`` for AND CHAIN."""

    what: Literal["begin", "commit", "rollback", "savepoint", "release", "rollback to", "prepare", "other"]
    savepoint: str = ""
    chain: bool = False


class Grant(Action, frozen=True, kw_only=True):
    """GRANT and REVOKE on relations."""

    tables: tuple[Name, ...]
    revoke: bool = False


class Comment(Action, frozen=True, kw_only=True):
    """COMMENT ON."""

    kind: str
    name: Name | None


class Other(Action, frozen=True, kw_only=True):
    """A statement nothing here describes; ``kind`` is the grammar's name for it."""

    kind: str


class Facts(Value, frozen=True, kw_only=True):
    """One statement: its place, and what it does. ``reads`` are the relations its queries read, in any action.

    ``functions`` are the functions it calls, lower case, without their schema.
    """

    text: str
    span: Span
    actions: tuple[Action, ...] = ()
    reads: tuple[Name, ...] = ()
    functions: tuple[str, ...] = ()
