"""Reads relations and all that belongs to them: one query a catalog, never one a table.

The column names of the queries are the field names of the model, so that msgspec does the conversion.
"""

from __future__ import annotations

import fnmatch
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import TypeVar

import msgspec
import psycopg

from partadvisor.io.collect.columns import read_columns
from partadvisor.io.collect.session import Row, Session
from partadvisor.io.collect.sizes import Part, storage_parts, sum_by_table
from partadvisor.model.catalog import (
    Constraint,
    Dependent,
    ExtendedStatistics,
    Index,
    PartitionKeyInfo,
    Policy,
    Publication,
    Relation,
    TableActivity,
    Trigger,
)
from partadvisor.model.errors import ServerError, UsageError

_ATTEMPTS = 3
_BLOCK_BYTES = 8192

_DEPENDENT_KINDS = {
    "view_definitions": ("materialized_view", "view"),
    "rule_definitions": ("rule",),
    "function_definitions": ("function",),
}

T = TypeVar("T")


def read_catalog(session: Session, schema_pattern: str | None = None) -> tuple[Relation, ...]:
    """All user relations of the schemas that match, as of one instant, ordered by name.

    Runs its own transaction. A relation dropped while we read can make the server's ``pg_get_*`` functions
    fail, since they look at the catalog of now; the whole read is then repeated.

    Raises:
        UsageError: no schema matches the pattern.
        ServerError: the connection is lost, or the catalog keeps changing.
    """
    failure: psycopg.Error | None = None
    for _ in range(_ATTEMPTS):
        notes = list(session.notes)
        try:
            with session.transaction(repeatable=True):
                return _read(session, schema_pattern)
        except ServerError as error:
            if not isinstance(error.__cause__, psycopg.errors.InternalError_ | psycopg.errors.ProgrammingError):
                raise
            failure = error.__cause__
        session.notes = notes
    raise ServerError("the catalog could not be read", detail=str(failure)) from failure


def schema_oids(session: Session, pattern: str | None) -> list[int]:
    """OIDs of the user schemas whose name matches the shell-style pattern.

    Raises:
        UsageError: none does.
    """
    schemas = session.rows("schemas")
    chosen = [s["oid"] for s in schemas if pattern is None or fnmatch.fnmatchcase(s["name"], pattern)]
    if not chosen and pattern is not None:
        names = ", ".join(s["name"] for s in schemas[:20])
        raise UsageError(f'no schema matches "{pattern}"', detail=f"The schemas are: {names}.")
    return chosen


def group(rows: Iterable[Row], type_: type[T]) -> dict[int, tuple[T, ...]]:
    """Rows as records of ``type_``, by their ``relation_oid``."""
    found: dict[int, list[T]] = defaultdict(list)
    for row in rows:
        found[row.pop("relation_oid")].append(msgspec.convert(row, type_))
    return {oid: tuple(records) for oid, records in found.items()}


def _read(session: Session, schema_pattern: str | None) -> tuple[Relation, ...]:
    found = session.rows("relations", {"schemas": schema_oids(session, schema_pattern)})
    # views of an extension come with the extension and say nothing about the application
    bases = [row for row in found if not (row["extension"] and row["kind"] == "view")]
    oids = [row["oid"] for row in bases]
    parts = storage_parts(session, oids)
    of = _Details(session, oids, parts)
    sizes = sum_by_table(parts)
    relations = []
    for row in bases:
        oid = row["oid"]
        row.pop("is_partition")
        heap, index, toast = sizes.get(oid, (0, 0, 0))
        relations.append(
            msgspec.convert(
                {**row, "heap_bytes": heap, "index_bytes": index, "toast_bytes": toast, **of.fields(oid)}, Relation
            )
        )
    return tuple(relations)


class _Details:
    """What belongs to the relations, each kind read with one query, by OID of the relation."""

    def __init__(self, session: Session, oids: list[int], parts: Sequence[Part]) -> None:
        params = {"oids": oids}
        self.columns = read_columns(session, oids)
        self.own, self.inbound = _constraints(session, oids)
        self.indexes = _indexes(session, oids, {p.oid: p.bytes for p in parts})
        self.triggers = group(session.defined("triggers", oids), Trigger)
        self.policies = group(session.unlocked("policies", "policies", oids), Policy)
        self.statistics = group(session.defined("extended_statistics", oids), ExtendedStatistics)
        self.rules, self.dependents = _dependents(session, oids)
        self.keys = {
            oid: keys[0] for oid, keys in group(session.defined("partition_keys", oids), PartitionKeyInfo).items()
        }
        self.activity = {oid: found[0] for oid, found in group(session.rows("activity", params), TableActivity).items()}
        self.trees = _trees(session, oids)
        publications = group(session.unlocked("publications", "publications", oids), Publication)
        self.publications = _published(publications, self.trees, oids)

    def fields(self, oid: int) -> Row:
        """The fields of one relation beyond those of ``pg_class``, built-in or already converted."""
        fields: Row = {
            "columns": self.columns.get(oid, ()),
            "constraints": self.own.get(oid, ()),
            "referenced_by": self.inbound.get(oid, ()),
            "indexes": self.indexes.get(oid, ()),
            "triggers": self.triggers.get(oid, ()),
            "policies": self.policies.get(oid, ()),
            "rules": self.rules.get(oid, ()),
            "dependents": self.dependents.get(oid, ()),
            "extended_statistics": self.statistics.get(oid, ()),
            "publications": self.publications.get(oid, ()),
            "partition_key": self.keys.get(oid),
            "activity": self.activity.get(oid, TableActivity()),
        }
        return {**fields, **self.trees.fields(oid)}


class _Trees:
    """Who is whose partition or inheritance child."""

    def __init__(self) -> None:
        self.parent_oid: dict[int, int] = {}
        self.parent: dict[int, str] = {}
        self.bound: dict[int, str | None] = {}
        self.detaching: set[int] = set()
        self.inherits: dict[int, list[str]] = defaultdict(list)
        self.has_children: set[int] = set()

    def fields(self, oid: int) -> Row:
        """The fields of the model's ``Relation`` that concern trees."""
        return {
            "parent": self.parent.get(oid),
            "partition_bound": self.bound.get(oid),
            "detach_pending": oid in self.detaching,
            "inheritance_parents": tuple(self.inherits.get(oid, ())),
            "has_inheritance_children": oid in self.has_children,
        }

    def ancestors(self, oid: int) -> Iterable[int]:
        """Parent, its parent, and so on."""
        while oid in self.parent_oid:
            oid = self.parent_oid[oid]
            yield oid


def _trees(session: Session, oids: list[int]) -> _Trees:
    trees = _Trees()
    for row in session.rows("inheritance", {"oids": oids}):
        child, parent = row["child"], row["parent"]
        if row["is_partition"]:
            trees.parent_oid[child], trees.parent[child] = parent, row["parent_name"]
            if row["detach_pending"]:
                trees.detaching.add(child)
        else:
            trees.inherits[child].append(row["parent_name"])
            trees.has_children.add(parent)
    bounds = session.unlocked("partition bounds", "partition_bounds", oids)
    trees.bound = {row["relation_oid"]: row["partition_bound"] for row in bounds}
    return trees


def _constraints(
    session: Session, oids: list[int]
) -> tuple[dict[int, tuple[Constraint, ...]], dict[int, tuple[Constraint, ...]]]:
    """Own constraints, and the foreign keys of others (or of itself) that point here."""
    wanted = set(oids)
    own, inbound = [], []
    for row in session.defined("constraints", oids):
        referenced = row.pop("referenced_oid")
        if referenced in wanted:
            inbound.append({**row, "relation_oid": referenced})
        if row["relation_oid"] in wanted:
            own.append({**row, "table": None})
    return group(own, Constraint), group(inbound, Constraint)


def _indexes(session: Session, oids: list[int], sizes: dict[int, int]) -> dict[int, tuple[Index, ...]]:
    rows = session.defined("indexes", oids)
    for row in rows:
        index_oid, pages, partial = row.pop("index_oid"), row.pop("pages"), row.pop("partial")
        row["size_bytes"] = sizes.get(index_oid, pages * _BLOCK_BYTES)
        if partial and not row.get("predicate"):
            row["predicate"] = "(unknown)"  # an index that is partial must not pass for a full one
    return group(rows, Index)


def _dependents(
    session: Session, oids: list[int]
) -> tuple[dict[int, tuple[Dependent, ...]], dict[int, tuple[Dependent, ...]]]:
    """Rules on the relations themselves, and objects elsewhere whose definition names them."""
    rules = session.rows("rules", {"oids": oids})
    rows = session.rows("dependents", {"oids": oids})
    needs: dict[int, set[int]] = defaultdict(set)
    for row in (*rules, *rows):
        needs[row["object_oid"]].add(row["relation_oid"])
    texts: dict[int, str] = {}
    for query, kinds in _DEPENDENT_KINDS.items():
        objects = sorted({row["object_oid"] for row in (*rules, *rows) if row["kind"] in kinds})
        if objects:
            what = f"definitions of {kinds[-1].replace('_', ' ')}s"
            found = session.unlocked(what, query, objects, needs)
            texts.update({row["object_oid"]: row["definition"] for row in found})
    for row in (*rules, *rows):
        row["definition"] = texts.get(row.pop("object_oid"))
    return group(rules, Dependent), group(rows, Dependent)


def _published(
    own: dict[int, tuple[Publication, ...]], trees: _Trees, oids: Iterable[int]
) -> dict[int, tuple[Publication, ...]]:
    """A partition is published with every publication of its ancestors too."""
    result = {}
    for oid in oids:
        found = {p.name: p for p in own.get(oid, ())}
        for ancestor in trees.ancestors(oid):
            for publication in own.get(ancestor, ()):
                found.setdefault(publication.name, msgspec.structs.replace(publication, explicit=False))
        result[oid] = tuple(found.values())
    return result
