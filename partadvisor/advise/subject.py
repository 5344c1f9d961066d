"""Everything about one table that its candidates are judged by, gathered once.

A subject holds the relation, its recent rows, every use of it in the workload, and which columns grow with time.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass, field

from partadvisor.advise.conditions import columns_of, comparisons_of
from partadvisor.model.activity import RecentRows
from partadvisor.model.catalog import Column, Constraint, Index, Relation
from partadvisor.model.workload import QueryFamily, TableAccess, Workload
from partadvisor.sql.unusual import UnusualKind

Uses = Mapping[str, tuple["Use", ...]]


@dataclass(frozen=True, slots=True)
class Use:
    """One query and all its references to the table."""

    family: QueryFamily
    accesses: tuple[TableAccess, ...]

    @property
    def name(self) -> str:
        """What to call the query: its name, or the beginning of its text."""
        if self.family.name:
            return self.family.name
        text = " ".join(self.family.text.split())
        return text if len(text) <= 60 else text[:57] + "..."

    @property
    def weight(self) -> float:
        """Calls a second, or plain calls where the time span is unknown; only ratios count."""
        return self.family.calls if self.family.calls_per_second is None else self.family.calls_per_second


@dataclass(frozen=True, slots=True)
class Request:
    """A statement that asks something of the table itself rather than of its rows."""

    family: QueryFamily
    kind: UnusualKind

    @property
    def name(self) -> str:
        """What to call the statement."""
        return Use(self.family, ()).name


@dataclass(frozen=True)
class Subject:
    """A table with what is known of it.

    ``related`` gives for each column the number of tables that hold the same key (by foreign keys and joins);
    ``monotone`` are columns whose new values lie beyond the old ones. ``major`` is the version to plan for.
    """

    relation: Relation
    major: int
    uses: tuple[Use, ...] = ()
    requests: tuple[Request, ...] = ()
    recent: RecentRows | None = None
    related: Mapping[str, int] = field(default_factory=dict)
    monotone: frozenset[str] = frozenset()
    encoding: str = "UTF8"
    max_locks: int = 64
    inserts_per_second: float | None = None

    @property
    def name(self) -> str:
        """``schema.table``."""
        return self.relation.qualified_name

    def column(self, name: str) -> Column:
        """The column of that name.

        Raises:
            KeyError: there is none.
        """
        found = self.relation.column(name)
        if found is None:
            raise KeyError(name)
        return found

    @property
    def unique_indexes(self) -> tuple[Index, ...]:
        """Indexes that promise uniqueness, the primary key first."""
        found = [i for i in self.relation.indexes if (i.unique or i.primary) and not i.exclusion]
        return tuple(sorted(found, key=lambda i: (not i.primary, i.name)))

    @property
    def exclusions(self) -> tuple[Constraint, ...]:
        """Exclusion constraints."""
        return tuple(c for c in self.relation.constraints if c.kind == "exclusion")

    @property
    def inserts(self) -> tuple[tuple[Use, TableAccess], ...]:
        """Every INSERT into the table."""
        return tuple((u, a) for u in self.uses for a in u.accesses if a.role == "insert")

    @functools.cached_property
    def by_ctid(self) -> tuple[tuple[Use, TableAccess], ...]:
        """References whose condition names ctid."""
        return tuple(
            (use, access)
            for use in self.uses
            for access in use.accesses
            if "ctid" in columns_of(access.condition) or any(j.column == "ctid" for j in access.joins)
        )

    @functools.cached_property
    def equality_shares(self) -> Mapping[str, float]:
        """For each column the share of the table's reading queries, by calls, that fix it by equality."""
        total = 0.0
        fixed: dict[str, float] = {}
        for use in self.uses:
            for access in use.accesses:
                if access.role == "insert":
                    continue
                total += use.weight
                named = {c.column for c in comparisons_of(access.condition) if c.operator in ("=", "in")}
                for column in named:
                    fixed[column] = fixed.get(column, 0.0) + use.weight
        return {column: weight / total for column, weight in fixed.items()} if total else {}

    @property
    def bytes(self) -> int:
        """Heap, indexes and TOAST."""
        return self.relation.heap_bytes + self.relation.index_bytes + self.relation.toast_bytes


def uses_by_table(workload: Workload) -> Uses:
    """The workload turned round: for each table the queries that refer to it."""
    found: dict[str, list[Use]] = {}
    for query in workload.families:
        by_table: dict[str, list[TableAccess]] = {}
        for access in query.pattern.tables if query.pattern else ():
            by_table.setdefault(access.table, []).append(access)
        for table, accesses in by_table.items():
            found.setdefault(table, []).append(Use(family=query, accesses=tuple(accesses)))
    return {table: tuple(uses) for table, uses in found.items()}
