"""What ``review`` says a case locks, from its text and a snapshot, beside what the server was seen to lock."""

from collections.abc import Iterable, Mapping

import psycopg

from partadvisor.io.collect.options import CollectOptions
from partadvisor.io.collect.run import collect
from partadvisor.lint.catalog import of_snapshot
from partadvisor.lint.context import Versions
from partadvisor.lint.lock_forms import locks_of, uses
from partadvisor.lint.scope import Scope, Tables
from partadvisor.pg.locks import CONFLICTS
from partadvisor.sql.ddl.facts import facts_of
from partadvisor.sql.parse import Unparsed
from tests.locks.cases import Case
from tests.locks.graph import Node
from tests.locks.measure import prepare, schema_of
from tests.locks.observe import Observed, make_schema

Locks = dict[str, tuple[str, ...]]


def catalog(dsn: str, cases: Iterable[Case]) -> Tables:
    """The relations that the cases find, as a snapshot of a server has them."""
    with psycopg.connect(dsn, autocommit=True) as connection:
        prepare(connection)
        for setup in dict.fromkeys(case.setup for case in cases):
            make_schema(connection, setup, schema_of(setup))
    return of_snapshot(collect(dsn, CollectOptions(duration=0)))


def predicted(case: Case, tables: Tables, major: int) -> tuple[Locks, set[str]]:
    """Modes by relation, without its schema; and the relations that are locked only perhaps."""
    schema = schema_of(case.setup)
    facts = facts_of(case.sql.replace("{schema}", schema))
    assert not isinstance(facts, Unparsed), case
    found: dict[str, set[str]] = {}
    perhaps = set()
    for lock in locks_of(facts, Scope(tables, (schema,)), Versions(oldest=major, newest=major), 0):
        name = lock.relation.removeprefix(f"{schema}.")
        found.setdefault(name, set()).add(lock.mode)
        if not lock.certain:
            perhaps.add(name)
    return {name: tuple(m for m in CONFLICTS if m in modes) for name, modes in found.items()}, perhaps


def forms_used(case: Case, tables: Tables) -> list[str]:
    """The forms that the facts of the statement lead to."""
    schema = schema_of(case.setup)
    facts = facts_of(case.sql.replace("{schema}", schema))
    assert not isinstance(facts, Unparsed), case
    return [use.form for use in uses(facts, Scope(tables, (schema,)))]


def telling(seen: Observed, graph: Mapping[str, Node], schema: str) -> Locks:
    """The observed locks that ``review`` is to name: no TOAST, and no index that its table's lock makes idle."""
    kept: Locks = {}
    for name, modes in seen.locks.items():
        node = graph[name]
        if ".toast" in name or ("index" in node.kind and _idle(modes, seen.locks.get(node.edges["table"][0], ()))):
            continue
        kept[name.removeprefix(f"{schema}.")] = modes
    return kept


def _idle(modes: tuple[str, ...], of_table: tuple[str, ...]) -> bool:
    if modes == ("ACCESS SHARE",):
        return True
    return all(any(CONFLICTS[m] <= CONFLICTS[t] for t in of_table) for m in modes)


def difference(said: Locks, perhaps: set[str], real: Locks) -> list[str]:
    """Where the two are not the same, one line a relation."""
    wrong = []
    for name in sorted({*said, *real}):
        one, other = said.get(name, ()), real.get(name, ())
        if one != other and not (name in perhaps and other == ()):
            wrong.append(f"{name}: review says {one}, the server {other}")
    return wrong
