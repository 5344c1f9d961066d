"""Looking relations up by the names statements use."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from partadvisor.lint.tables import IndexState, Table
from partadvisor.model.ddl_parts import Name, Span

_NOWHERE = Span(start=0, end=0)


@dataclass(frozen=True, slots=True)
class Tables:
    """All relations at one point. ``base`` is the catalog, ``changes`` what the script made of it (None: dropped).

    ``complete``: the catalog is known, so that a relation it does not hold does not exist.
    """

    base: Mapping[str, Table] = field(default_factory=dict)
    changes: Mapping[str, Table | None] = field(default_factory=dict)
    complete: bool = False

    def get(self, name: str) -> Table | None:
        """The relation of that qualified name, None when nothing is known of it or it was dropped."""
        return self.changes[name] if name in self.changes else self.base.get(name)

    def dropped(self, name: str) -> bool:
        """Whether the script dropped it or renamed it away."""
        return name in self.changes and self.changes[name] is None

    def with_table(self, table: Table) -> Tables:
        """The same with ``table`` in place of what had its name."""
        return Tables(self.base, {**self.changes, table.name: table}, self.complete)

    def without(self, name: str) -> Tables:
        """The same without that relation."""
        return Tables(self.base, {**self.changes, name: None}, self.complete)

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
        for table in self.tables:
            found = table.indexes.get(short)
            unqualified = isinstance(name, Name) and name.schema is None
            if found is not None and (unqualified or table.name.startswith(f"{schema}.")):
                return found
        return None

    def partitions_of(self, name: Name | str) -> tuple[Table, ...]:
        """The known direct partitions."""
        return tuple(self.tables.get(p) or Table(name=p) for p in self.table(name).partitions)
