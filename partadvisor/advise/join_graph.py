"""Which columns are one key under different names: foreign keys and joins as a graph over (table, column).

Edges carry the statements that join over them with their calls. A connected component is a *key family*: partitioned
by it, tables prune together, and join partition by partition where the server is allowed to.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import networkx as nx

from partadvisor.model.catalog import Relation
from partadvisor.model.workload import QueryFamily, Workload

Place = tuple[str, str]
"""``schema.table`` and a column of it."""


@dataclass(slots=True)
class Tie:
    """What joins two columns: statements by fingerprint, and names of foreign keys."""

    statements: dict[str, QueryFamily] = field(default_factory=dict)
    foreign_keys: list[str] = field(default_factory=list)

    @property
    def calls(self) -> float:
        """Calls of the joining statements: a second where known, else in all."""
        return sum(calls_of(f) for f in self.statements.values())


def calls_of(family: QueryFamily) -> float:
    """Weight of a statement."""
    return family.calls if family.calls_per_second is None else family.calls_per_second


class KeyGraph:
    """Columns tied together by foreign keys and joins."""

    def __init__(self, relations: Sequence[Relation], workload: Workload) -> None:
        self._graph: nx.Graph[Place] = nx.Graph()
        for relation in relations:
            self._add_foreign_keys(relation)
        for query in workload.families:
            for access in query.pattern.tables if query.pattern else ():
                for join in access.joins:
                    tie = self._tie((access.table, join.column), (join.other_table, join.other_column))
                    tie.statements[query.fingerprint] = query
        self._families: dict[Place, int] = {}
        self._tables: list[int] = []
        self._names: list[str] = []
        for number, component in enumerate(nx.connected_components(self._graph)):
            self._families.update(dict.fromkeys(component, number))
            self._tables.append(len({table for table, _ in component}))
            self._names.append(min((column for _, column in component), key=lambda c: (len(c), c)))

    def _add_foreign_keys(self, relation: Relation) -> None:
        for key in relation.constraints:
            if key.kind == "foreign_key" and key.references:
                for own, other in zip(key.columns, key.referenced_columns, strict=False):
                    self._tie((relation.qualified_name, own), (key.references, other)).foreign_keys.append(key.name)

    def _tie(self, one: Place, other: Place) -> Tie:
        if not self._graph.has_edge(one, other):
            self._graph.add_edge(one, other, tie=Tie())
        tie: Tie = self._graph.edges[one, other]["tie"]
        return tie

    def family(self, place: Place) -> int | None:
        """The number of the column's key family, None for a column that nothing joins."""
        return self._families.get(place)

    def family_name(self, family: int) -> str:
        """The shortest name the key has."""
        return self._names[family]

    def tables(self, family: int) -> list[str]:
        """Tables that hold the key."""
        return sorted({table for (table, _), number in self._families.items() if number == family})

    def between(self, one: Place, other: Place) -> Tie | None:
        """What joins two columns directly."""
        return self._graph.edges[one, other]["tie"] if self._graph.has_edge(one, other) else None

    def related(self) -> dict[Place, int]:
        """For each column that is tied to others: the number of tables that hold the same key."""
        return {place: self._tables[number] for place, number in self._families.items()}
