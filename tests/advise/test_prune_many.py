"""Many queries at once give what each gives alone; locks are those of the leaves in the plan."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import psycopg
import pytest

from partadvisor.advise.equivalence import completed_conditions
from partadvisor.advise.operands import Setting
from partadvisor.advise.predictor import Predictor
from partadvisor.advise.prune import touch
from partadvisor.io.server import Server
from partadvisor.model.workload import AccessPattern
from partadvisor.sql.access import access_pattern
from tests.advise import pruning_oracle as oracle
from tests.advise.pruning_cases import cases, load, tree
from tests.majors import EMBEDDED, ON_MAJORS

CASES = {case.name: case for case in cases()}


@pytest.mark.parametrize("generic", [False, True])
def test_many_queries_at_once(generic: bool, server: Server, make_db: Callable[[Server], str]) -> None:
    case = CASES["order_entry"]
    with psycopg.connect(make_db(server), autocommit=True) as connection:
        at = load(connection, case)
    found = [access_pattern(query.text, at.names) for query in case.queries]
    patterns = [p for p in found if isinstance(p, AccessPattern)]
    wanted = [
        (completed_conditions(p.tables)[a.alias], a.role != "read")
        for p in patterns
        for a in p.tables
        if a.table == at.relation.qualified_name and a.role != "insert"
    ]
    predictor = Predictor(at.columns, EMBEDDED, generic=generic)
    demands = [predictor.demand(condition, writes) for condition, writes in wanted]
    for scheme in case.schemes:
        split = tree(scheme, at.columns)
        alone = [touch(c, split, at.columns, Setting(EMBEDDED, writes, generic)) for c, writes in wanted]
        together = predictor.touches(demands, split)
        assert [(t.planned, t.executed, t.when) for t in together] == [(t.planned, t.executed, t.when) for t in alone]


LOCKED = (
    ("SELECT count(*) FROM order_line WHERE w_id = $1 AND d_id = $2 AND o_id = $3", ("5", "5", "105")),
    ("SELECT count(*) FROM order_line WHERE o_id BETWEEN $1 AND $2", ("500", "1200")),
    ("UPDATE order_line SET amount = 0 WHERE w_id = $1 AND o_id = $2", ("5", "105")),
    ("DELETE FROM order_line WHERE delivered < $1", ("2026-02-01",)),
)


@ON_MAJORS
def test_leaves_in_the_plan_are_locked_whether_they_are_scanned_or_not(
    major: int, major_server: Callable[[int], Server], make_db: Callable[[Server], str]
) -> None:
    case = CASES["order_entry"]
    with psycopg.connect(make_db(major_server(major)), autocommit=True) as connection:
        oracle.prepare(connection)
        at = load(connection, case)
        for number, scheme in enumerate(case.schemes):
            connection.execute(f"SET search_path = w{number}, public".encode())
            split = tree(scheme, at.columns)
            for text, values in LOCKED:
                for generic in (False, True):
                    pattern = access_pattern(text, at.names)
                    assert isinstance(pattern, AccessPattern)
                    (access,) = pattern.tables
                    known = {f"${n}": v for n, v in enumerate(values, 1)}
                    setting = Setting(major, access.role != "read", generic, known)
                    expected = touch(completed_conditions(pattern.tables)[access.alias], split, at.columns, setting)
                    shown = (major, scheme, text, generic)
                    assert locked_leaves(connection, text, values, len(scheme), generic=generic) == expected.planned, (
                        shown
                    )


def locked_leaves(
    connection: psycopg.Connection[Any], text: str, values: tuple[str, ...], levels: int, *, generic: bool
) -> int:
    """Leaves that a second execution holds locks on: the first one plans, and locks what planning looks at."""
    mode = "force_generic_plan" if generic else "force_custom_plan"
    given = ", ".join(f"'{v}'" for v in values)
    connection.execute(f"SET plan_cache_mode = {mode}; PREPARE q AS {text}".encode(), prepare=False)
    for _ in range(2):
        connection.execute("BEGIN")
        connection.execute(f"EXECUTE q({given})".encode(), prepare=False)
        locks = connection.execute("SELECT relation::regclass::text FROM pg_locks WHERE pid = pg_backend_pid()")
        names = [re.sub(r".*\.", "", str(row[0])) for row in locks.fetchall()]
        connection.execute("ROLLBACK")
    connection.execute("DEALLOCATE q")
    return sum(bool(re.fullmatch(rf"order_line(_\d+){{{levels}}}", name)) for name in names)
