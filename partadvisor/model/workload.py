"""Statements as the advisor understands them: which table, which columns, how many rows, how often.

A condition is the WHERE and ON part that concerns one table, as a tree: the pruning predictor walks it the way
the planner would. What is not understood stays in the tree as ``Opaque``; nothing disappears.
"""

from __future__ import annotations

from typing import Literal

from partadvisor.model.base import Value

OperandKind = Literal[
    "constant", "folded", "parameter", "array_parameter", "stable", "volatile", "column", "subquery", "expression"
]
Role = Literal["read", "insert", "update", "delete", "merge"]


Operator = Literal[
    "=", "<", "<=", ">", ">=", "<>", "in", "not_in", "is_null", "is_not_null", "is_unknown", "is_not_unknown",
    "like", "other",
]  # fmt: skip


class Operand(Value, frozen=True, kw_only=True):
    """The other side of a comparison.

    ``constant``: ``value`` is the literal's text (None for NULL). ``folded``: an immutable expression over constants,
    which the planner knows and we do not (``5 + 1``). ``parameter``: ``value`` is ``$n``, ``...`` for the rest of a
    list that pg_stat_statements shortened, None for an expression over parameters.
    ``column``: ``value`` is ``alias.column`` of the other table or of an enclosing query. ``type`` is the cast,
    or the literal's own type (``integer``, ``bigint``, ``numeric``, ``boolean``) when there is none; None for unknown,
    which a quoted literal without a cast is as well. ``collation`` is that of a COLLATE clause.
    """

    kind: OperandKind
    value: str | None = None
    type: str | None = None
    collation: str | None = None


class Comparison(Value, frozen=True, kw_only=True, tag="comparison"):
    """``column operator operands``. ``in`` holds the list, ``is_null`` and its like hold nothing.

    ``wrapped`` is set when the *column* itself is wrapped (cast or function): such a comparison never prunes, unless it
    is wrapped in nothing but a ``cast`` to a type that is stored alike. ``is_test``: written ``IS TRUE``, ``IS FALSE``.
    """

    column: str
    operator: Operator
    operands: tuple[Operand, ...] = ()
    wrapped: bool = False
    cast: str | None = None
    is_test: bool = False


class AllOf(Value, frozen=True, kw_only=True, tag="all"):
    """AND of its parts; an empty one is TRUE (no condition on this table)."""

    parts: tuple[Condition, ...] = ()


class AnyOf(Value, frozen=True, kw_only=True, tag="any"):
    """OR of its parts."""

    parts: tuple[Condition, ...] = ()


class Not(Value, frozen=True, kw_only=True, tag="not"):
    """NOT part."""

    part: Condition


class Opaque(Value, frozen=True, kw_only=True, tag="opaque"):
    """A condition that says nothing usable about one column; ``reason`` in words.

    ``parameter`` is set when it is nothing but that this parameter is NULL (``$1 IS NULL OR k = $1``).
    """

    reason: str
    columns: tuple[str, ...] = ()
    parameter: str | None = None


Condition = Comparison | AllOf | AnyOf | Not | Opaque


class Join(Value, frozen=True, kw_only=True):
    """Equality between a column of this table and one of another reference in the same statement.

    ``outer`` is set for an outer or anti join: there a constant passes from the preserved side to the other only.
    """

    column: str
    other_table: str
    other_alias: str
    other_column: str
    outer: bool = False


class SortKey(Value, frozen=True, kw_only=True):
    """A column of ORDER BY with its direction; ``nulls_first`` is resolved (PostgreSQL's default is NULLs as largest).

    The shape of a btree pathkey: an index or a merge of partitions gives the order when it has the same keys.
    """

    column: str
    descending: bool = False
    nulls_first: bool = False


class TableAccess(Value, frozen=True, kw_only=True):
    """One reference to a table in a statement.

    ``rows`` is the number of rows a single execution inserts when the text says it (VALUES lists, one for a
    single row), None when only counters can tell (INSERT … SELECT). ``constant_columns`` are inserted columns
    with the same value in all rows of one execution; ``varying_columns`` those that surely differ by row.

    ``order_by`` are the leading keys of ORDER BY that are this table's plain columns; ``order_complete`` when there
    are no others, so that an ordered scan of this table needs no sort. ``limited`` when LIMIT or FETCH FIRST stops
    the query (a lone ``max(c)`` reads as ORDER BY c DESC LIMIT 1), ``limit_rows`` its rows with those of OFFSET when
    both are literals, None for parameters. ``grouped`` when rows are grouped, made distinct, aggregated or given to
    window functions first: the limit then does not stop the scan early.
    """

    table: str
    alias: str
    role: Role
    condition: Condition = AllOf()
    joins: tuple[Join, ...] = ()
    columns: tuple[str, ...] = ()
    rows: float | None = None
    constant_columns: tuple[str, ...] = ()
    varying_columns: tuple[str, ...] = ()
    set_columns: tuple[str, ...] = ()
    conflict_columns: tuple[str, ...] | None = None
    conflict_constraint: str | None = None
    conflict_action: Literal["", "nothing", "update"] = ""
    returning_system_columns: tuple[str, ...] = ()
    order_by: tuple[SortKey, ...] = ()
    order_complete: bool = False
    limited: bool = False
    limit_rows: float | None = None
    grouped: bool = False
    locks_rows: bool = False


class AccessPattern(Value, frozen=True, kw_only=True):
    """All table references of one statement. ``kind`` is the statement's own kind."""

    kind: Literal["select", "insert", "update", "delete", "merge", "copy", "other"]
    tables: tuple[TableAccess, ...] = ()
    notes: tuple[str, ...] = ()


class QueryFamily(Value, frozen=True, kw_only=True):
    """Statements of one shape with their weight.

    ``calls_per_second`` is None when the time span is unknown; ``calls`` then still ranks. ``not_analysed`` says why
    there is no pattern. ``parameters`` are the values of ``$1``, ``$2``, … of some executions of ``text``, for
    operands of kind parameter; empty unless a server log had them.
    """

    fingerprint: str
    text: str
    calls: float
    calls_per_second: float | None = None
    mean_ms: float = 0.0
    rows_per_call: float = 0.0
    name: str | None = None
    pattern: AccessPattern | None = None
    not_analysed: str | None = None
    parameters: tuple[tuple[str | None, ...], ...] = ()


class Gap(Value, frozen=True, kw_only=True):
    """Families that were not understood for one reason, with their shares of all; ``example`` is the heaviest text."""

    reason: str
    families: int
    calls_share: float
    time_share: float
    example: str


class Coverage(Value, frozen=True, kw_only=True):
    """Share of calls and of execution time that was understood (0..1), and the reasons for the rest, heaviest first.

    Statements that touch no table (BEGIN, SET, DDL) are in neither share; ``without_table`` counts their families.
    ``notes`` say what the sources do not hold at all.
    """

    families: int = 0
    understood_families: int = 0
    calls_share: float = 1.0
    time_share: float = 1.0
    gaps: tuple[Gap, ...] = ()
    without_table: int = 0
    notes: tuple[str, ...] = ()


class Workload(Value, frozen=True, kw_only=True):
    """Query families by falling total time, and how much of the time they explain."""

    families: tuple[QueryFamily, ...] = ()
    coverage: Coverage = Coverage()
