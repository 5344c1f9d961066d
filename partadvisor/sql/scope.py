"""Which table's column a name in a query means, level by level, as PostgreSQL resolves it.

A *domain* is a set of FROM items the planner joins freely: conditions and equalities spread inside it. A subquery
the planner pulls up shares the domain of its parent; one it cannot pull up has its own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from partadvisor.model.workload import Condition, Join, Role, SortKey
from partadvisor.sql.names import SYSTEM_COLUMNS, SchemaNames
from partadvisor.sql.parse import Node

Constancy = str
"""``constant`` (one value for all rows of an execution), ``varying`` (surely another on each row) or ``unknown``."""


@dataclass(frozen=True, slots=True)
class Ordering:
    """In which order and how many rows the query around an item wants; the fields are those of ``TableAccess``."""

    order_by: tuple[SortKey, ...] = ()
    order_complete: bool = False
    limited: bool = False
    limit_rows: float | None = None
    grouped: bool = False


@dataclass(eq=False, slots=True)
class Reference:
    """One FROM item: a table, or (``table`` None) something derived whose rows come from elsewhere."""

    alias: str
    domain: Domain
    table: str | None = None
    role: Role = "read"
    columns: tuple[str, ...] | None = None
    output: Output | None = None
    single_row: bool = False
    constancy: dict[str, Constancy] = field(default_factory=dict)
    conditions: list[Condition] = field(default_factory=list)
    joins: list[Join] = field(default_factory=list)
    ordering: Ordering | None = None
    locks_rows: bool = False
    renamed: Mapping[str, str] | None = None  # of a view it is written through: column → the table's column
    written: dict[str, object] = field(default_factory=dict)  # further fields of TableAccess, for written tables

    def may_have(self, column: str) -> bool:
        """Whether the item can have the column; an unknown table can have any."""
        return self.columns is None or column in self.columns or (column in SYSTEM_COLUMNS and self.table is not None)


Place = tuple[Reference, str]


@dataclass(frozen=True, slots=True)
class Computed:
    """An output column of a pulled-up subquery that is an expression."""

    node: Node
    level: Level


Target = Place | Computed


@dataclass(eq=False, slots=True)
class Domain:
    """FROM items joined together, with what is demanded of them; see ``partadvisor.sql.domains``."""

    references: list[Reference] = field(default_factory=list)
    conjuncts: list[object] = field(default_factory=list)
    nullable: set[Reference] = field(default_factory=set)


@dataclass(slots=True)
class Branch:
    """One SELECT of a derived item: where its output columns come from, and into which a condition may sink."""

    domain: Domain
    targets: list[Target | None]
    pushable: list[bool]


@dataclass(slots=True)
class Output:
    """Columns of a query that is not pulled up; ``appended`` when it is UNION ALL, merged as partitions are."""

    names: list[str]
    branches: list[Branch] = field(default_factory=list)
    open: bool = False
    single_row: bool = False
    rows: float | None = None
    constancy: list[Constancy] = field(default_factory=list)
    appended: bool = False


@dataclass(slots=True)
class Source:
    """A FROM item under the name a query level sees it by."""

    name: str
    table: str | None = None
    reference: Reference | None = None
    targets: dict[str, Target] | None = None
    open: tuple[Reference, ...] = ()
    one_row: bool = False

    def find(self, column: str) -> Target | None:
        """What the column is, None when the item surely has no such column."""
        if self.targets is not None:
            if column in self.targets:
                return self.targets[column]
            return (self.open[0], column) if len(self.open) == 1 else None
        if self.reference is not None and self.reference.may_have(column):
            return (self.reference, column)
        return None

    @property
    def single_row(self) -> bool:
        """Whether the item surely has at most one row."""
        return self.one_row or (self.reference is not None and self.reference.single_row)

    @property
    def known(self) -> bool:
        """Whether all columns are known."""
        if self.targets is not None:
            return not self.open
        return self.reference is None or self.reference.columns is not None

    def columns(self) -> list[tuple[str, Target]]:
        """All known columns in order, as ``*`` gives them."""
        if self.targets is not None:
            return list(self.targets.items())
        if self.reference is None or self.reference.columns is None:
            return []
        return [(c, (self.reference, c)) for c in self.reference.columns]


@dataclass(slots=True)
class Cte:
    """A WITH query. ``level`` is where it is written; ``output`` is filled when it is computed once."""

    name: str
    query: Node
    columns: tuple[str, ...]
    inline: bool
    level: Level
    output: Output | None = None


@dataclass(frozen=True, slots=True)
class Later:
    """What can be told only once a domain is settled; ``settle`` gets its equivalence classes."""

    domain: Domain
    settle: Callable[[Any], None]


@dataclass(slots=True)
class State:
    """What one statement gathers.

    ``query`` analyses a subquery on its own, ``pull_up`` one that joins the level around it; both are handed in,
    because FROM items and queries need each other. ``repeated``: one VALUES row stands for several.
    ``executions`` are the parameters' values of some executions, where a log had them.
    """

    names: SchemaNames
    query: Callable[[Level, Node], Output]
    pull_up: Callable[[Level, Node], tuple[list[str], list[Target | None], tuple[Reference, ...]]]
    repeated: bool = False
    executions: tuple[tuple[str | None, ...], ...] = ()
    references: list[Reference] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    seen: set[int] = field(default_factory=set)
    aliases: set[str] = field(default_factory=set)
    views: list[str] = field(default_factory=list)
    domains: list[Domain] = field(default_factory=list)
    later: list[Later] = field(default_factory=list)

    def alias(self, wanted: str) -> str:
        """An alias no other item of the statement has, numbered as EXPLAIN does."""
        name, number = wanted, 0
        while name in self.aliases:
            number += 1
            name = f"{wanted}_{number}"
        self.aliases.add(name)
        return name

    def note(self, text: str) -> None:
        """Remember a remark, once."""
        if text not in self.notes:
            self.notes.append(text)


@dataclass(slots=True)
class Level:
    """One query level: the names it sees, and the domain its FROM items are in.

    ``text`` is the UTF-8 text that positions in the level's nodes count in.
    """

    state: State
    domain: Domain
    parent: Level | None = None
    ctes: dict[str, Cte] = field(default_factory=dict)
    sources: list[Source] = field(default_factory=list)
    merged: dict[str, Target] = field(default_factory=dict)
    text: bytes = b""

    def below(self, *, domain: Domain | None = None, lateral: bool = True) -> Level:
        """A level inside this one; it sees this one's FROM items only when ``lateral``."""
        return Level(
            self.state,
            Domain() if domain is None else domain,
            self if lateral else self.parent,
            dict(self.ctes),
            text=self.text,
        )

    def add(self, reference: Reference) -> Reference:
        """Put an item into the domain, under an alias of its own; tables are remembered in order."""
        reference.alias = self.state.alias(reference.alias)
        self.domain.references.append(reference)
        if reference.table is not None:
            self.state.references.append(reference)
        return reference

    def resolve(self, fields: Sequence[str]) -> Target | None:
        """What a column reference means here or in a level outside; None when nothing fits."""
        level: Level | None = self if fields else None  # a lone * has no fields
        while level is not None:
            found = level.own(fields)
            if found is not None:
                return found
            level = level.parent
        return None

    def own(self, fields: Sequence[str]) -> Target | None:
        """What it means at this level alone."""
        if len(fields) == 1:
            return self.merged.get(fields[0]) or self._unqualified(fields[0])
        name, column = ".".join(fields[:-1]), fields[-1]
        for source in self.sources:
            if name in (source.name, source.table):
                return source.find(column)
        return None

    def _unqualified(self, column: str) -> Target | None:
        """A known item that has the column goes before an unknown table that may have it."""
        candidates = [(s, t) for s in self.sources if (t := s.find(column)) is not None]
        certain = [t for s, t in candidates if s.known]
        possible = [t for s, t in candidates if not s.known]
        if len(certain) == 1:
            return certain[0]
        return possible[0] if not certain and len(possible) == 1 else None
