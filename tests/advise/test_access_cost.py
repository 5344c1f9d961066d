"""What the model says that a reference costs, beside the planner's own cost of it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import psycopg
import pytest

from partadvisor.advise.access_cost import page_fetches
from partadvisor.advise.shapes import Shapes
from partadvisor.advise.subject import Subject, uses_by_table
from partadvisor.advise.work import WorkModel
from partadvisor.io.collect.options import CollectOptions
from partadvisor.io.collect.run import collect
from tests.advise.builders import column, equals, query, statistics, subject, table, uniform
from tests.advise.test_read_cost import effects
from tests.shadow_cases import workload_of

_TABLE = """
CREATE TABLE letter (id int PRIMARY KEY, box int NOT NULL, sender int NOT NULL, day int NOT NULL, body text NOT NULL);
CREATE INDEX ON letter (box, day);
CREATE INDEX ON letter (day);
INSERT INTO letter SELECT i, (i * 7919) % 100, (i * 104729) % 5000, i / 100, repeat('x', 200)
FROM generate_series(1, 20000) AS i;
VACUUM ANALYZE letter;
SET max_parallel_workers_per_gather = 0;
"""
_QUERIES = {
    "SELECT * FROM letter WHERE id = 7": "an index scan of one row",
    "SELECT * FROM letter WHERE box = 7": "a bitmap scan of scattered rows",
    "SELECT * FROM letter WHERE day = 7": "an index scan of rows that lie together",
    "SELECT * FROM letter WHERE box = 7 AND day = 7": "all columns of an index",
    "SELECT * FROM letter WHERE sender = 7": "a sequential scan",
    "SELECT * FROM letter WHERE box = 7 ORDER BY day LIMIT 5": "an index that gives the order",
    "SELECT * FROM letter WHERE box = 7 ORDER BY sender": "a sort",
    "SELECT * FROM letter ORDER BY day LIMIT 10": "an index in order, stopped by a limit",
    "SELECT * FROM letter": "everything",
}


@pytest.fixture(scope="module")
def letters(server: Any, make_db: Any, tmp_path_factory: pytest.TempPathFactory) -> Any:
    dsn = make_db(server)
    path: Path = tmp_path_factory.mktemp("letters") / "queries.sql"
    path.write_text("".join(f"-- name: {name}\n{text};\n" for text, name in _QUERIES.items()))
    with psycopg.connect(dsn, autocommit=True) as connection:
        for statement in filter(str.strip, _TABLE.split(";")):
            connection.execute(statement.encode())
        yield connection, collect(dsn, CollectOptions(duration=0, queries=path))


def test_the_formulas_give_the_planners_costs(letters: Any) -> None:
    connection, snapshot = letters
    relation = snapshot.relation("public.letter")
    uses = uses_by_table(workload_of(snapshot))["public.letter"]
    shapes = Shapes(Subject(relation=relation, major=18, uses=uses))
    known = list(shapes)
    compared = 0
    for use, scans in zip(uses, shapes.of_uses, strict=True):
        text = next(text for text, name in _QUERIES.items() if name == use.name)
        told = str(connection.execute(f"EXPLAIN {text}".encode()).fetchone()[0])
        planner = float(re.findall(r"\.\.([\d.]+)", told)[0])
        model = WorkModel(known[scans[0]], relation).before
        assert model == pytest.approx(planner, rel=0.15), use.name
        compared += 1
    assert compared == len(_QUERIES)


def test_scattered_rows_share_pages_in_their_partition() -> None:
    boxes = table(
        "letter",
        [column("box", stats=uniform(400)), column("id", stats=statistics(-1))],
        key=("box", "id"),
        rows=1_000_000,
        pages=50_000,
    )
    look = query(boxes, "look", equals("box"), calls=10)
    near = effects(subject(boxes, families=[look]), "hash(box) into 64")["look"]
    far = effects(subject(boxes, families=[look]), "hash(id) into 64")["look"]
    assert near.time_ratio < 0.9
    assert any("closer together" in c for c in near.causes)
    assert far.time_ratio > 1


def test_pages_are_fetched_once_each_at_most() -> None:
    assert page_fetches(100, 1) == pytest.approx(1, rel=0.01)
    assert page_fetches(100, 10**6) == 100
