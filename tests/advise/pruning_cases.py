"""The corpus ``tests/cases/pruning``: schemas, ways to partition one of their tables, and queries.

A file is one schema. ``table`` is split in every way of ``schemes``; each way has a schema of its own on the server, so
that one text of a query runs against all of them. A query's parameters follow it: ``SELECT … = $1 -- 5 | 2026-01-01``;
what an older server refuses begins with a major: ``15: MERGE …``.
"""

from __future__ import annotations

import itertools
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg

from partadvisor.advise.columns import ColumnFacts, column_facts
from partadvisor.advise.layout import MAXVALUE, MINVALUE, HashParts, Parts, list_parts, range_parts
from partadvisor.advise.prune import Tree
from partadvisor.io.collect.catalog import read_catalog
from partadvisor.io.collect.session import Session
from partadvisor.model.catalog import Relation
from partadvisor.model.scheme import HashLevel, ListLevel, RangeLevel
from partadvisor.pg.quote import quote_ident, quote_literal
from partadvisor.pg.scheme_text import parse_scheme
from partadvisor.sql.names import SchemaNames

FOLDER = Path(__file__).parent.parent / "cases" / "pruning"
_ENDS = {"MINVALUE": MINVALUE, "MAXVALUE": MAXVALUE}
Range = tuple[tuple[str, ...], tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Query:
    """A statement and the values of its parameters (None for NULL)."""

    text: str
    values: tuple[str | None, ...]
    since: int = 0


@dataclass(frozen=True, slots=True)
class Branch:
    """One level of partitions: method, key, and a ``FOR VALUES`` text for each."""

    method: str
    columns: tuple[str, ...]
    bounds: tuple[str, ...]
    modulus: int = 0
    groups: tuple[tuple[str | None, ...], ...] = ()
    ranges: tuple[Range, ...] = ()
    default: bool = False

    @property
    def key(self) -> str:
        """The PARTITION BY text."""
        return f"{self.method} ({', '.join(quote_ident(c) for c in self.columns)})"

    def parts(self, columns: Mapping[str, ColumnFacts]) -> Parts:
        """The same for the predictor."""
        if self.method == "HASH":
            return HashParts(self.columns, self.modulus)
        if self.method == "LIST":
            return list_parts(self.columns[0], self.groups, self.default, columns)
        ranges = [tuple([_ENDS.get(v, v) for v in edge] for edge in pair) for pair in self.ranges]
        found = range_parts(self.columns, ranges, self.default, columns)  # type: ignore[arg-type]
        assert found is not None, "the corpus has ranges of types whose order is known"
        return found


@dataclass(frozen=True, slots=True)
class Case:
    """One file of the corpus."""

    name: str
    data: Mapping[str, Any]

    @property
    def table(self) -> str:
        """The partitioned table."""
        return str(self.data["table"])

    @property
    def schemes(self) -> tuple[tuple[Branch, ...], ...]:
        """Levels of each way to partition it."""
        return tuple(tuple(_levels(spec)) for spec in self.data["schemes"])

    def fits(self, number: int) -> str:
        """Which rows have a partition under a way to split the table; ``fits`` of its specification."""
        spec = self.data["schemes"][number]
        return str(spec.get("fits", "true")) if isinstance(spec, dict) else "true"

    @property
    def queries(self) -> tuple[Query, ...]:
        """All queries."""
        lines = [line.strip() for line in self.data["queries"].splitlines()]
        return tuple(_query(line) for line in lines if line and not line.startswith("#"))


def cases() -> list[Case]:
    """The whole corpus."""
    return [Case(p.stem, tomllib.loads(p.read_text())) for p in sorted(FOLDER.glob("*.toml"))]


def _query(line: str) -> Query:
    text, _, given = line.partition(" -- ")
    since, _, statement = text.partition(": ") if text[:2].isdigit() else ("0", "", text)
    values = [v.strip() for v in given.split(" | ")] if given else []
    return Query(statement, tuple(None if v == "null" else v for v in values), int(since))


def _levels(spec: str | Mapping[str, Any]) -> Iterator[Branch]:
    """``spec``: a scheme, or a table of ``scheme`` and ``default`` (one for each level), or ``range``, ``bounds``."""
    told: Mapping[str, Any] = {"scheme": spec} if isinstance(spec, str) else spec
    if "range" in told:
        yield range_branch(tuple(told["range"]), told["bounds"], bool(told.get("default")))
        if "then" in told:
            yield from _levels(told["then"])
        return
    levels = parse_scheme(told["scheme"]).levels
    for level, default in zip(levels, told.get("default", [None] * len(levels)), strict=True):
        yield branch(level, default)


def branch(level: HashLevel | ListLevel | RangeLevel, default: bool | None) -> Branch:
    """A level of a scheme; a list has a DEFAULT partition unless told otherwise, a range only when told."""
    if isinstance(level, HashLevel):
        bounds = [f"FOR VALUES WITH (MODULUS {level.modulus}, REMAINDER {i})" for i in range(level.modulus)]
        return Branch("HASH", level.columns, tuple(bounds), modulus=level.modulus)
    if isinstance(level, ListLevel):
        return list_branch(level.columns[0], level.values, default is not False)
    edges = level.at or (str(level.start),)
    every = [("MINVALUE",), *((e,) for e in edges), ("MAXVALUE",)]
    return range_branch(level.columns, list(itertools.pairwise(every)), bool(default))


def list_branch(column: str, groups: Sequence[Sequence[str | None]], default: bool) -> Branch:
    """A list level."""
    bounds = [f"FOR VALUES IN ({', '.join(quote_literal(v) for v in group)})" for group in groups]
    kept = tuple(tuple(g) for g in groups)
    return Branch("LIST", (column,), (*bounds, *["DEFAULT"] * default), groups=kept, default=default)


def range_branch(columns: tuple[str, ...], ranges: Sequence[Sequence[Sequence[str]]], default: bool) -> Branch:
    """A range level of (from, to) bounds; short ones are continued as the predictor continues them."""
    full = tuple((_full(low, len(columns)), _full(high, len(columns))) for low, high in ranges)
    bounds = [f"FOR VALUES FROM ({_edge(low)}) TO ({_edge(high)})" for low, high in full]
    return Branch("RANGE", columns, (*bounds, *["DEFAULT"] * default), ranges=full, default=default)


def _full(edge: Sequence[str], width: int) -> tuple[str, ...]:
    rest = edge[-1] if edge[-1] in _ENDS else "MINVALUE"
    return (*edge, *[rest] * (width - len(edge)))


def _edge(values: Sequence[str]) -> str:
    return ", ".join(v if v in _ENDS else quote_literal(v) for v in values)


@dataclass(frozen=True, slots=True)
class Loaded:
    """A case on a server: its catalog, and the leaves' names of each scheme."""

    relation: Relation
    names: SchemaNames
    columns: Mapping[str, ColumnFacts]
    leaves: frozenset[str]


def tree(scheme: Sequence[Branch], columns: Mapping[str, ColumnFacts], ahead: bool = False) -> Tree:
    """The predictor's view of a scheme."""
    return Tree(tuple(b.parts(columns) for b in scheme), ahead)


def load(connection: psycopg.Connection[Any], case: Case) -> Loaded:
    """Make the schemas ``w0``, ``w1``… of a case's schemes in an empty database, filled and analysed."""
    table = quote_ident(case.table)
    body = f"CREATE TABLE {table} ({case.data['columns']});"
    script = [case.data.get("setup", ""), body, f"INSERT INTO {table} {case.data['rows']};"]
    leaves: list[str] = []
    for number, scheme in enumerate(case.schemes):
        script.append(f"CREATE SCHEMA w{number}; SET search_path = w{number}, public;")
        script.append(f"CREATE TABLE {table} ({case.data['columns']}) PARTITION BY {scheme[0].key};")
        script += _partitions(scheme, table, case.table, leaves)
        script.append(f"INSERT INTO {table} SELECT * FROM public.{table} WHERE {case.fits(number)};")
        script += [f"CREATE INDEX ON {table} ({index});" for index in case.data.get("indexes", ())]
        script.append("RESET search_path;")
    script.append("ANALYZE;")
    connection.execute("\n".join(script).encode())
    return _read(connection, case, frozenset(leaves))


def _partitions(scheme: Sequence[Branch], parent: str, prefix: str, leaves: list[str]) -> Iterator[str]:
    here, below = scheme[0], scheme[1:]
    for number, bound in enumerate(here.bounds):
        name = f"{prefix}_{number}"
        again = f" PARTITION BY {below[0].key}" if below else ""
        yield f"CREATE TABLE {quote_ident(name)} PARTITION OF {parent} {bound}{again};"
        if below:
            yield from _partitions(below, quote_ident(name), name, leaves)
        else:
            leaves.append(name)


def _read(connection: psycopg.Connection[Any], case: Case, leaves: frozenset[str]) -> Loaded:
    relations = read_catalog(Session(connection, statement_timeout_ms=60_000, lock_timeout_ms=0), "public")
    labels = connection.execute(
        "SELECT 'public.' || enumtypid::regtype, array_agg(enumlabel::text ORDER BY enumsortorder)"
        " FROM pg_enum GROUP BY 1"
    ).fetchall()
    relation = next(r for r in relations if r.name == case.table)
    facts = column_facts(relation, default_collation="C", labels={n: tuple(found) for n, found in labels})
    return Loaded(relation, SchemaNames.from_relations(relations), facts, leaves)
