"""Every query of the corpus under every scheme: the predictor against the planner and the executor."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import psycopg
import pytest

from partadvisor.advise.equivalence import completed_conditions
from partadvisor.advise.operands import Setting
from partadvisor.advise.prune import Touch, Tree, touch
from partadvisor.io.server import Server
from partadvisor.model.workload import AccessPattern
from partadvisor.sql.access import access_pattern
from tests.advise import pruning_oracle as oracle
from tests.advise.pruning_cases import Case, Loaded, Query, cases, load, tree
from tests.majors import MAJORS

CASES = {case.name: case for case in cases()}
_WRITES = ("update", "delete", "merge")


def predicted(pattern: AccessPattern, at: Loaded, split: Tree, major: int, query: Query, generic: bool) -> list[Touch]:
    conditions = completed_conditions(pattern.tables)
    values = {f"${n}": v for n, v in enumerate(query.values, 1)}
    return [
        touch(conditions[a.alias], split, at.columns, Setting(major, a.role in _WRITES, generic, values))
        for a in pattern.tables
        if a.table == at.relation.qualified_name and a.role != "insert"
    ]


def differences(touches: list[Touch], found: oracle.Seen) -> Iterator[str]:
    planned, executed = sum(t.planned for t in touches), sum(t.executed for t in touches)
    if all(t.planned_certain for t in touches) and planned != found.planned:
        yield f"planned {planned}, but {found.planned} are in the plan"
    certain = all(t.certain for t in touches)
    if certain and found.executed is not None and executed != found.executed:
        yield f"executed {executed}, but {found.executed} are scanned"
    if len(touches) == 1 and found.executed is not None:
        when = oracle.stage(found.planned, found.started, found.executed, touches[0].total)
        if when != touches[0].when:
            yield f"{touches[0].when}, but it is {when} ({found})"


def check(connection: psycopg.Connection[Any], case: Case, major: int, step: int = 1) -> tuple[int, int, list[str]]:
    """Number of pairs, of plans with a number that is an estimate, and what is wrong; of one query in ``step``."""
    at = load(connection, case)
    understood = [(query, understand(query, at)) for query in case.queries if query.since <= major]
    estimates = 0
    wrong: list[str] = []
    for number, scheme in enumerate(case.schemes):
        connection.execute(f"SET search_path = w{number}, public".encode())
        split = tree(scheme, at.columns)
        for query, pattern in understood[number % step :: step]:
            for generic in (False, True) if query.values else (False,):
                touches = predicted(pattern, at, split, major, query, generic)
                plan = oracle.run(connection, query.text, query.values, generic=generic)
                found = oracle.seen(plan, at.leaves)
                estimates += not all(t.certain for t in touches)
                where = f"{case.name} {major} {'+'.join(b.key for b in scheme)}{' generic' if generic else ''}"
                wrong += [f"{where}: {query.text} {query.values}: {text}" for text in differences(touches, found)]
    return len(case.schemes) * len(understood), estimates, wrong


def understand(query: Query, at: Loaded) -> AccessPattern:
    pattern = access_pattern(query.text, at.names)
    assert isinstance(pattern, AccessPattern), query.text
    return pattern


def connected(dsn: str) -> psycopg.Connection[Any]:
    connection = psycopg.connect(dsn, autocommit=True)
    oracle.prepare(connection)
    return connection


def test_the_corpus_is_large() -> None:
    assert len(CASES) >= 15
    assert sum(len(case.schemes) * len(case.queries) for case in CASES.values()) >= 5_000


@pytest.mark.parametrize("name", CASES)
def test_every_third_query_on_18(name: str, server: Server, make_db: Callable[[Server], str]) -> None:
    with connected(make_db(server)) as connection:
        _, _, wrong = check(connection, CASES[name], 18, step=3)
    assert wrong == []


@pytest.mark.matrix
@pytest.mark.parametrize("major", MAJORS)
def test_every_query_on_every_major(
    major: int, major_server: Callable[[int], Server], make_db: Callable[[Server], str]
) -> None:
    pairs = estimates = 0
    wrong: list[str] = []
    for case in CASES.values():
        with connected(make_db(major_server(major))) as connection:
            found = check(connection, case, major)
        pairs, estimates, wrong = pairs + found[0], estimates + found[1], wrong + found[2]
    print(f"PostgreSQL {major}: {pairs} pairs agree, {estimates} plans with a number that is an estimate")
    assert wrong == []
