"""The locks a plan declares are those the server takes, on every relation that was there before."""

from collections.abc import Callable
from typing import Any

import psycopg
import pytest

from partadvisor.io.collect.options import CollectOptions
from partadvisor.io.collect.run import collect
from partadvisor.io.server import Server
from partadvisor.model.plan import MigrationPlan, Step
from partadvisor.pg.scheme_text import parse_scheme
from partadvisor.planner.guard import ATTEMPTS_SETTING
from partadvisor.planner.journal import mark
from partadvisor.planner.plan import plan_migration
from tests.majors import ON_MAJORS
from tests.migration import run

Connection = psycopg.Connection[tuple[Any, ...]]
SETUP = """
CREATE TABLE r (id int PRIMARY KEY); INSERT INTO r SELECT generate_series(1, 5);
CREATE TABLE t (k int NOT NULL, id serial, a int REFERENCES r, PRIMARY KEY (k, id)){partitions};
CREATE TABLE f (k int, id int, FOREIGN KEY (k, id) REFERENCES t);
CREATE VIEW v AS SELECT k FROM t;
INSERT INTO t (k, a) SELECT i, 1 + i % 5 FROM generate_series(1, 100) i;
ANALYZE;
"""
TREE = """ PARTITION BY HASH (id); CREATE TABLE t_x PARTITION OF t FOR VALUES WITH (MODULUS 2, REMAINDER 0);
CREATE TABLE t_y PARTITION OF t FOR VALUES WITH (MODULUS 2, REMAINDER 1)"""
STRENGTH = [
    "ACCESS SHARE", "ROW SHARE", "ROW EXCLUSIVE", "SHARE UPDATE EXCLUSIVE", "SHARE", "SHARE ROW EXCLUSIVE",
    "EXCLUSIVE", "ACCESS EXCLUSIVE",
]  # fmt: skip
NAMES = """
SELECT c.oid::int8, n.nspname || '.' || c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname = 'public' AND c.relname IN ('r', 't', 't_x', 't_y', 'f', 'v', 't_id_seq')
"""
HELD = """
SELECT l.relation::int8, array_agg(DISTINCT l.mode) FROM pg_locks l
WHERE l.pid = pg_backend_pid() AND l.locktype = 'relation' AND l.granted AND l.relation = ANY(%s) GROUP BY 1
"""


def strength(mode: str) -> int:
    """Of ``ACCESS SHARE`` as well as of ``AccessShareLock``."""
    plain = mode.removesuffix("Lock").upper().replace(" ", "")
    return [m.replace(" ", "") for m in STRENGTH].index(plain)


def measured(connection: Connection, plan: MigrationPlan, step: Step) -> dict[str, int]:
    """Runs a step; the strongest lock it held at its end on each relation that had a name before it."""
    names: dict[int, str] = dict(connection.execute(NAMES).fetchall())
    held: list[tuple[Any, ...]] = []
    while step.repeat_sql:
        with connection.transaction():
            connection.execute(f"SET TRANSACTION ISOLATION LEVEL {step.isolation.upper()}".encode())
            row = connection.execute(step.repeat_sql.encode()).fetchone()
            held += connection.execute(HELD, [list(names)]).fetchall()
        if row == (0,):
            break
    for (statement,) in connection.execute(step.each_sql.encode()).fetchall() if step.each_sql else []:
        connection.execute(statement)
    with connection.transaction():
        connection.execute(f"SET LOCAL {ATTEMPTS_SETTING} = 1".encode())
        connection.execute(step.sql.encode() or b"SELECT 1")
        held += connection.execute(HELD, [list(names)]).fetchall()
        connection.execute(mark(plan, step.id, "done").encode())
    return {names[oid]: max(strength(mode) for mode in modes) for oid, modes in held}


@ON_MAJORS
@pytest.mark.parametrize(
    ("partitions", "scheme", "strategy"),
    [
        ("", "hash(k) into 3", "copy"), ("", "range(k) from 1000, hash(id) into 2", "ahead"),
        ("", "hash(k) into 3", "rewrite"), ("", "range(k) at (1000)", "attach"),
        (TREE, "hash(k) into 3", "copy"), (TREE, "hash(k) into 3", "rewrite"),
    ],
)  # fmt: skip
def test_declared_locks_are_the_real_ones(
    major: int,
    partitions: str,
    scheme: str,
    strategy: str,
    major_server: Callable[[int], Server],
    make_db: Callable[[Server], str],
) -> None:
    dsn = make_db(major_server(major))
    run(dsn, SETUP.format(partitions=partitions))
    plan = plan_migration(collect(dsn, CollectOptions(duration=0)), "public.t", parse_scheme(scheme), strategy)
    with psycopg.connect(dsn, autocommit=True) as connection:
        for step in plan.steps:
            declared = {lock.relation: strength(lock.mode) for lock in step.locks}
            for name, mode in measured(connection, plan, step).items():
                if mode > strength("ROW EXCLUSIVE") or name in declared:
                    assert (step.id, name, mode) == (step.id, name, declared.get(name))
