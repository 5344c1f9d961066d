"""The pieces that statements are made of: places in a file, names as written, columns, constraints, partition bounds.

Names are unquoted, case folded as the server folds them. Expressions are the user's own text, cut by position.
"""

from __future__ import annotations

from typing import Literal

from partadvisor.model.base import Value

ConstraintKind = Literal["primary_key", "unique", "foreign_key", "check", "exclusion", "not_null"]
Strategy = Literal["range", "list", "hash"]


class Span(Value, frozen=True, kw_only=True):
    """A piece of a file: character offsets from 0, ``end`` not included."""

    start: int
    end: int


class Name(Value, frozen=True, kw_only=True):
    """A relation or other object as the statement names it; ``schema`` is None when it is left to the search path."""

    name: str
    schema: str | None = None
    span: Span

    def __str__(self) -> str:
        """``schema.name`` or ``name``, unquoted; for SQL use ``pg.quote``."""
        return f"{self.schema}.{self.name}" if self.schema else self.name


class Comparison(Value, frozen=True, kw_only=True):
    """One ANDed part of a CHECK: ``column operator values``.

    Operators are ``= < <= > >= in not in is null is not null`` (``<>`` is a ``not in``) and ``call`` for a function of
    columns that gives a boolean, whose ``values`` are its arguments' texts. Literals are in ``values`` without quotes
    and casts; a None among them is NULL.
    """

    column: str
    operator: Literal["=", "<", "<=", ">", ">=", "in", "not in", "is null", "is not null", "call"]
    values: tuple[str | None, ...] = ()
    function: str = ""


class CheckExpression(Value, frozen=True, kw_only=True):
    """A boolean expression. ``parts`` are the ANDed comparisons that are understood, ``complete`` if that is all.

    ``alternatives`` are the arms of an OR, each as its ANDed comparisons; empty unless all of them are understood.
    """

    text: str
    parts: tuple[Comparison, ...] = ()
    complete: bool = True
    alternatives: tuple[tuple[Comparison, ...], ...] = ()


class Constraint(Value, frozen=True, kw_only=True):
    """A constraint as a statement defines it, on a column or on the table; ``name`` None when the server names it."""

    kind: ConstraintKind
    name: str | None = None
    columns: tuple[str, ...] = ()
    check: CheckExpression | None = None
    references: Name | None = None
    referenced_columns: tuple[str, ...] = ()
    on_delete: str = "NO ACTION"
    on_update: str = "NO ACTION"
    using_index: str | None = None
    not_valid: bool = False
    enforced: bool = True
    deferrable: bool = False
    no_inherit: bool = False
    span: Span


class Column(Value, frozen=True, kw_only=True):
    """A column as a statement defines it. ``type`` is as ``format_type`` prints it, without modifiers.

    ``default_volatility`` is of the default's functions, the worst of them; None without a default, and
    "unknown" for functions that are not built in. ``constraints`` are those written with the column.
    """

    name: str
    type: str
    type_modifiers: tuple[str, ...] = ()
    not_null: bool = False
    default: str | None = None
    default_volatility: Literal["immutable", "stable", "volatile", "unknown"] | None = None
    identity: Literal["", "always", "by_default"] = ""
    generated: Literal["", "stored", "virtual"] = ""
    serial: bool = False
    constraints: tuple[Constraint, ...] = ()
    span: Span


class PartitionBy(Value, frozen=True, kw_only=True):
    """A partition key; an expression is None among the ``columns`` and its text is in ``expressions``."""

    strategy: Strategy
    columns: tuple[str | None, ...]
    expressions: tuple[str, ...] = ()


class Bound(Value, frozen=True, kw_only=True):
    """``FOR VALUES …`` or DEFAULT. Literals without quotes and casts, other expressions as their text.

    MINVALUE and MAXVALUE are these words; a NULL in a list is None.
    """

    strategy: Literal["range", "list", "hash", "default"]
    lower: tuple[str, ...] = ()
    upper: tuple[str, ...] = ()
    values: tuple[str | None, ...] = ()
    modulus: int = 0
    remainder: int = 0
    text: str = ""
