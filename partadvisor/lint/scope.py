"""Looking relations up by the names statements use."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from partadvisor.lint.tables import IndexState, Table
from partadvisor.model.ddl_parts import Name, Span

_NOWHERE = Span(start=0, end=0)


Pointers = dict[tuple[str, str], list[str]]
"""Field of a table and a name in it → the tables that have it there."""
_POINTING = ("inherits", "views", "owned_sequences", "indexes")


def _pointers(tables: Iterable[Table]) -> Pointers:
    found: Pointers = {}
    for table in tables:
        for where in _POINTING:
            for name in getattr(table, where):
                found.setdefault((where, name), []).append(table.name)
    return found


@dataclass(frozen=True)
class Tables:
    """All relations at one point. ``base`` is the catalog, ``changes`` what the script made of it (None: dropped).

    ``complete``: the catalog is known, so that a relation it does not hold does not exist. ``memory`` keeps what is
    found out about ``base``, which never changes, from one point to the next.
    """

    base: Mapping[str, Table] = field(default_factory=dict)
    changes: Mapping[str, Table | None] = field(default_factory=dict)
    complete: bool = False
    memory: dict[str, Pointers] = field(default_factory=dict, compare=False, repr=False)

    def get(self, name: str) -> Table | None:
        """The relation of that qualified name, None when nothing is known of it or it was dropped."""
        return self.changes[name] if name in self.changes else self.base.get(name)

    def dropped(self, name: str) -> bool:
        """Whether the script dropped it or renamed it away."""
        return name in self.changes and self.changes[name] is None

    def with_table(self, table: Table) -> Tables:
        """The same with ``table`` in place of what had its name."""
        return Tables(self.base, {**self.changes, table.name: table}, self.complete, self.memory)

    def without(self, name: str) -> Tables:
        """The same without that relation."""
        return Tables(self.base, {**self.changes, name: None}, self.complete, self.memory)

    @functools.cached_property
    def _changed_pointers(self) -> Pointers:
        return _pointers(t for t in self.changes.values() if t is not None)

    def pointing(self, where: str, name: str) -> list[str]:
        """The tables that have ``name`` in a field: ``inherits``, ``views``, ``owned_sequences`` or ``indexes``."""
        if self.base and "base" not in self.memory:
            self.memory["base"] = _pointers(self.base.values())
        before = self.memory.get("base", {}).get((where, name), [])
        return [t for t in before if t not in self.changes] + self._changed_pointers.get((where, name), [])

    def __iter__(self) -> Iterator[Table]:
        yield from (t for name, t in self.base.items() if name not in self.changes)
        yield from (t for t in self.changes.values() if t is not None)


@dataclass(frozen=True, slots=True)
class Scope:
    """Relations as a session sees them: through its search path."""

    tables: Tables = field(default_factory=Tables)
    search_path: tuple[str, ...] = ("public",)

    def resolve(self, name: Name | str, kind: str = "") -> str:
        """``schema.name``; what is not found is taken to be in the first schema of the search path.

        ``kind`` is a hint only: "new" for a name to be created, which is never searched for.
        """
        if isinstance(name, str):
            return name if "." in name else self.resolve(Name(name=name, span=_NOWHERE), kind)
        if name.schema is not None:
            return f"{name.schema}.{name.name}"
        if kind != "new":
            for schema in ("pg_temp", *self.search_path):
                if self.tables.get(f"{schema}.{name.name}") is not None:
                    return f"{schema}.{name.name}"
        return f"{self.search_path[0] if self.search_path else 'public'}.{name.name}"

    def table(self, name: Name | str) -> Table:
        """What is known of the relation; an unknown one has ``known`` false and nothing in it."""
        qualified = self.resolve(name)
        return self.tables.get(qualified) or Table(name=qualified)

    def index(self, name: Name | str) -> IndexState | None:
        """The index of that name, wherever its table is known."""
        qualified = self.resolve(name)
        schema, _, short = qualified.rpartition(".")
        unqualified = isinstance(name, Name) and name.schema is None
        for owner in self.tables.pointing("indexes", short):
            if unqualified or owner.startswith(f"{schema}."):
                return self.table(owner).indexes[short]
        return None

    def partitions_of(self, name: Name | str) -> tuple[Table, ...]:
        """The known direct partitions."""
        return tuple(self.tables.get(p) or Table(name=p) for p in self.table(name).partitions)
