"""Looking relations up by the names statements use."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from partadvisor.lint.tables import IndexState, Table
from partadvisor.model.ddl_parts import Name, Span

_NOWHERE = Span(start=0, end=0)


Pointers = dict[tuple[str, str], dict[str, None]]
"""Field of a table and a name in it → the tables that have, or once had, it there, in order."""
_POINTING: dict[str, Callable[[Table], Iterable[str | None]]] = {
    "inherits": lambda t: t.inherits,
    "views": lambda t: t.views,
    "owned_sequences": lambda t: t.owned_sequences,
    "indexes": lambda t: t.indexes,
    "partitions": lambda t: t.partitions,
    "referenced_by": lambda t: t.referenced_by,
    "parent": lambda t: (t.parent,),
    "references": lambda t: (c.references for c in t.constraints.values()),
}
_FIELD = {"references": "constraints"}
_SETTLE = 64


def _note(pointers: Pointers, table: Table, before: Table | None = None) -> None:
    """Add what the table points to; a field that ``before`` had already, the very same, is noted."""
    for where, names in _POINTING.items():
        value = getattr(table, field_name := _FIELD.get(where, where))
        if value and (before is None or value is not getattr(before, field_name)):
            for name in names(table):
                if name is not None:
                    pointers.setdefault((where, name), {})[table.name] = None


@dataclass(frozen=True, slots=True)
class Changes(Mapping[str, Table | None]):
    """What a script made of relations (None: dropped). A changed copy costs little however many there are.

    ``recent`` is small and copied at each change; now and then it goes over into ``settled``, which is never changed.
    """

    settled: Mapping[str, Table | None] = field(default_factory=dict)
    recent: Mapping[str, Table | None] = field(default_factory=dict)

    def __getitem__(self, name: str) -> Table | None:
        return self.recent[name] if name in self.recent else self.settled[name]

    def __contains__(self, name: object) -> bool:
        return name in self.recent or name in self.settled

    def __iter__(self) -> Iterator[str]:
        yield from self.settled
        yield from (name for name in self.recent if name not in self.settled)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def having(self, name: str, table: Table | None) -> Changes:
        """The same with ``name`` changed."""
        recent = {**self.recent, name: table}
        if len(recent) ** 2 > max(_SETTLE**2, len(self.settled)):
            return Changes({**self.settled, **recent})
        return Changes(self.settled, recent)


@dataclass(frozen=True)
class Tables:
    """All relations at one point. ``base`` is the catalog, ``changes`` what the script made of it.

    ``complete``: the catalog is known, so that a relation it does not hold does not exist. ``memory`` keeps what is
    found out about ``base``, which never changes; ``noted`` who pointed to whom at any point of the script so far.
    """

    base: Mapping[str, Table] = field(default_factory=dict)
    changes: Changes = field(default_factory=Changes)
    complete: bool = False
    memory: dict[str, Pointers] = field(default_factory=dict, compare=False, repr=False)
    noted: Pointers | None = field(default=None, compare=False, repr=False)

    def get(self, name: str) -> Table | None:
        """The relation of that qualified name, None when nothing is known of it or it was dropped."""
        changes = self.changes
        if name in changes.recent:
            return changes.recent[name]
        return changes.settled[name] if name in changes.settled else self.base.get(name)

    def dropped(self, name: str) -> bool:
        """Whether the script dropped it or renamed it away."""
        return name in self.changes and self.changes[name] is None

    def with_table(self, table: Table) -> Tables:
        """The same with ``table`` in place of what had its name."""
        noted = self.noted if self.noted is not None else {}
        _note(noted, table, self.changes.get(table.name))
        return Tables(self.base, self.changes.having(table.name, table), self.complete, self.memory, noted)

    def without(self, name: str) -> Tables:
        """The same without that relation."""
        return Tables(self.base, self.changes.having(name, None), self.complete, self.memory, self.noted)

    def pointing(self, where: str, name: str) -> list[str]:
        """The tables that have ``name`` in a field: ``inherits``, ``views``, ``owned_sequences``, ``indexes``.

        ``references`` stands for the tables that their foreign keys reference.
        """
        found = [*self._of_base().get((where, name), ()), *(self.noted or {}).get((where, name), ())]
        current = ((t, self.get(t)) for t in dict.fromkeys(found))
        return [t for t, table in current if table is not None and name in _POINTING[where](table)]

    def _of_base(self) -> Pointers:
        if self.base and "base" not in self.memory:
            pointers = self.memory.setdefault("base", {})
            for table in self.base.values():
                _note(pointers, table)
        return self.memory.get("base", {})

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
