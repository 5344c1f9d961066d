"""What a name in a statement can mean: tables with their columns, the search path, and the text of views."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from partadvisor.model.catalog import Relation

SYSTEM_COLUMNS = frozenset({"ctid", "xmin", "xmax", "cmin", "cmax", "tableoid"})


@dataclass(frozen=True, slots=True)
class TableNames:
    """Columns of a table in order, and what fills those a statement leaves out."""

    columns: tuple[str, ...]
    defaults: Mapping[str, str] = field(default_factory=dict)
    identity: frozenset[str] = frozenset()
    generated: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class SchemaNames:
    """Lookup by ``schema.name``. An unknown table stays as it is written and may have any column.

    ``redirected`` are views whose writes a trigger or rule takes elsewhere.
    """

    tables: Mapping[str, TableNames] = field(default_factory=dict)
    views: Mapping[str, str] = field(default_factory=dict)
    search_path: tuple[str, ...] = ("public",)
    by_name: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    redirected: frozenset[str] = frozenset()

    @classmethod
    def from_relations(cls, relations: Iterable[Relation], search_path: tuple[str, ...] = ("public",)) -> SchemaNames:
        """The lookup for a snapshot's relations. Views are known by their text where a table they read holds it."""
        tables: dict[str, TableNames] = {}
        views: dict[str, str] = {}
        by_name: dict[str, tuple[str, ...]] = {}
        redirected: set[str] = set()
        for relation in relations:
            name = relation.qualified_name
            tables[name] = TableNames(
                tuple(c.name for c in relation.columns),
                {c.name: c.default for c in relation.columns if c.default is not None and not c.generated},
                frozenset(c.name for c in relation.columns if c.identity),
                frozenset(c.name for c in relation.columns if c.generated),
            )
            if relation.kind == "view" and (relation.rules or any(t.timing == "instead" for t in relation.triggers)):
                redirected.add(name)
            by_name[relation.name] = (*by_name.get(relation.name, ()), name)
            for dependent in relation.dependents:
                if dependent.kind == "view" and dependent.definition:
                    views[dependent.name] = dependent.definition
        for name in views:
            short = name.rsplit(".", 1)[-1]
            if name not in by_name.get(short, ()):
                by_name[short] = (*by_name.get(short, ()), name)
        return cls(tables, views, search_path, by_name, frozenset(redirected))

    def resolve(self, schema: str | None, name: str) -> str:
        """``schema.name`` of what the statement names, else the name as written.

        Statement texts come from sessions with other search paths, so a name that only one schema has is that one.
        """
        if schema is not None:
            return f"{schema}.{name}"
        places = self.by_name.get(name, ())
        for candidate in self.search_path:
            if f"{candidate}.{name}" in places:
                return f"{candidate}.{name}"
        return places[0] if len(places) == 1 else name

    def columns(self, table: str) -> tuple[str, ...] | None:
        """Columns of a resolved table, None when it is unknown."""
        known = self.tables.get(table)
        return known.columns if known is not None and known.columns else None
