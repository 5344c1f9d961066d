"""What a scheme costs each query and why, and how the planner brings the partitions' rows together."""

from __future__ import annotations

from typing import Any

import psycopg
import pytest

from partadvisor.advise.query_effects import worse
from partadvisor.advise.scoring import Scorer
from partadvisor.advise.subject import Subject
from partadvisor.model.activity import StatementDelta
from partadvisor.model.advice import QueryEffect
from partadvisor.model.catalog import Index, Relation
from partadvisor.model.diagnosis import GainLimit
from partadvisor.model.snapshot import Statements
from partadvisor.pg.scheme_text import parse_scheme
from partadvisor.sql.names import SchemaNames
from partadvisor.workload.families import build_workload
from tests.advise.builders import column, equals, query, statistics, subject, table, uniform
from tests.majors import ON_MAJORS

BASE = table(
    "t",
    [
        column("k", stats=uniform(400)),
        column("id", stats=statistics(-1), default="nextval('s'::regclass)"),
        column("v", stats=statistics(-1)),
        column("w", stats=statistics(-1)),
    ],
    key=("k", "id"),
)
T = Relation(
    **{f: getattr(BASE, f) for f in BASE.__struct_fields__}
    | {"indexes": (*BASE.indexes, Index(name="t_v", definition="", columns=("v",)))}
)


def effects(who: Subject, scheme: str = "hash(k) into 16") -> dict[str, QueryEffect]:
    scorer = Scorer(who, lambda _: GainLimit(low=1, expected=1, high=1, next_bottleneck="cpu"))
    return {e.name: e for e in scorer.effects(scorer.score(parse_scheme(scheme)))}


def of_text(text: str, scheme: str = "hash(k) into 16") -> QueryEffect:
    entry = StatementDelta(query_id="1", text=text, name="q", calls=100.0, rows=100, total_ms=10.0)
    workload = build_workload(
        (Statements(source="file", seconds=10.0, entries=(entry,)),), SchemaNames.from_relations([T])
    )
    return effects(subject(T, families=workload.families), scheme)["q"]


def test_a_query_that_is_pruned_loses_the_planning_of_a_partitioned_table_only() -> None:
    effect = of_text("SELECT v FROM t WHERE k = $1 AND id = $2")
    assert effect.causes == ("planning a partitioned table takes 11 us more",)
    assert effect.added_ms == pytest.approx(effect.planning_ms, abs=0.002)
    assert worse([effect]) == ()
    assert (effect.partitions_touched, effect.generic_partitions) == (1, 1)
    assert (effect.locks, effect.generic_locks) == (6, 17)


def test_a_lookup_by_the_rest_of_the_unique_key_is_named_as_such() -> None:
    effect = of_text("SELECT v FROM t WHERE id = $1")
    assert effect.partitions_touched == 16
    assert effect.time_ratio > 1.5
    assert any("a lookup by id without k searches the index of 16 partitions" in c for c in effect.causes)
    assert any("planning 16 partitions" in c for c in effect.causes)


def test_planning_grows_with_the_partitions() -> None:
    text = "SELECT w FROM t WHERE w = $1"
    one = of_text("SELECT w FROM t WHERE w = $1 AND k = $2").planning_ms
    few, many = of_text(text, "hash(k) into 4"), of_text(text, "hash(k) into 64")
    assert many.planning_ms - one == pytest.approx((few.planning_ms - one) * 63 / 3)
    assert few.added_ms > few.planning_ms > 0
    assert many.added_ms_per_second == pytest.approx(10 * many.added_ms)


def test_locks_beyond_the_slots_of_a_backend_cost_time() -> None:
    scan = query(T, "scan", equals("w"), calls=10)
    slots = effects(subject(T, families=[scan], major=17), "hash(k) into 64")["scan"]
    assert slots.locks == 1 + 2 + 64 * 3
    assert any("locks go through the shared lock table" in c for c in slots.causes)


def test_rows_that_move_cost_time() -> None:
    mover = query(T, "move", equals("k"), equals("id"), role="update", set_columns=("k",), calls=10)
    effect = effects(subject(T, families=[mover]))["move"]
    assert "a change of k moves the row" in effect.causes
    assert effect.added_ms > 0


def test_an_array_parameter_prunes_with_its_own_plan_only() -> None:
    effect = of_text("SELECT v FROM t WHERE k = ANY ($1::int[]) AND id = 7")
    assert effect.partitions_touched < 16
    assert effect.generic_partitions == 16


def test_the_queries_that_lose_come_by_what_they_lose() -> None:
    families = [
        query(T, "rare", equals("w"), calls=1),
        query(T, "often", equals("w"), calls=100),
        query(T, "pruned", equals("k"), calls=1000),
        query(T, "add", role="insert", calls=1000),
    ]
    scorer = Scorer(
        subject(T, families=families), lambda _: GainLimit(low=1, expected=1, high=1, next_bottleneck="cpu")
    )
    found = scorer.effects(scorer.score(parse_scheme("hash(k) into 16")))
    assert [e.name for e in worse(found)] == ["often", "rare"]


def test_a_limit_without_the_key_is_merged_from_all_partitions() -> None:
    effect = of_text("SELECT v FROM t ORDER BY v LIMIT 10")
    assert effect.merge == "merge"
    assert any("ORDER BY v is merged from 16 partitions" in c for c in effect.causes)
    by_range = of_text("SELECT k FROM t ORDER BY k LIMIT 10", "range(k) at (100, 200, 300)")
    assert any("DEFAULT partition keeps the planner" in c for c in by_range.causes)


def test_the_parts_of_an_ahead_scheme_are_read_one_after_the_other() -> None:
    scheme = "range(id) from 1000, hash(k) into 8"
    oldest = of_text("SELECT id FROM t WHERE k = 5 ORDER BY id LIMIT 10", scheme)
    assert oldest.merge == "ordered"
    assert oldest.partitions_touched == 1


# What the planner does.

_LEVELS = {
    "hash(k) into 4": ["PARTITION BY HASH (k)", *(f"FOR VALUES WITH (MODULUS 4, REMAINDER {i})" for i in range(4))],
    "range(k) at (100, 200, 300)": [
        "PARTITION BY RANGE (k)",
        *(f"FOR VALUES FROM ({low}) TO ({high})" for low, high in [("MINVALUE", 100), (100, 200), (200, 300)]),
        "FOR VALUES FROM (300) TO (MAXVALUE)",
        "DEFAULT",
    ],
    "list(k) in ((1), (2), (3))": ["PARTITION BY LIST (k)", *(f"FOR VALUES IN ({i})" for i in (1, 2, 3)), "DEFAULT"],
    "range(id) from 1000, hash(k) into 4": [
        "PARTITION BY RANGE (id)",
        "FOR VALUES FROM (MINVALUE) TO (1000)",
        "FOR VALUES FROM (1000) TO (MAXVALUE)",
    ],
}
_ORDERS = (
    "ORDER BY v LIMIT 5", "ORDER BY k LIMIT 5", "ORDER BY k, id LIMIT 5", "ORDER BY k DESC, id DESC LIMIT 5",
    "ORDER BY w LIMIT 5", "WHERE k = 2 ORDER BY id LIMIT 5", "WHERE k = 2 ORDER BY w LIMIT 5", "LIMIT 5",
)  # fmt: skip


@pytest.fixture(scope="module")
def filled(make_db: Any) -> Any:
    """A database of each server with the table under every scheme, each in a schema of its own."""
    made: dict[Any, str] = {}

    def database(server: Any) -> str:
        if server not in made:
            made[server] = make_db(server)
            with psycopg.connect(made[server], autocommit=True) as connection:
                for number, (method, *parts) in enumerate(_LEVELS.values()):
                    for statement in _statements(number, method, parts):
                        connection.execute(statement.encode())
        return made[server]

    return database


def _statements(number: int, method: str, parts: list[str]) -> list[str]:
    columns = "(k int NOT NULL, id int NOT NULL, v int NOT NULL, w int NOT NULL, PRIMARY KEY (k, id))"
    said = [f"CREATE SCHEMA s{number}", f"SET search_path = s{number}", f"CREATE TABLE t {columns} {method}"]
    ahead = method == "PARTITION BY RANGE (id)"
    for i, bound in enumerate(parts):
        below = " PARTITION BY HASH (k)" if ahead and i == 1 else ""
        said.append(f"CREATE TABLE t{i} PARTITION OF t {bound}{below}")
    if ahead:
        said += [f"CREATE TABLE n{i} PARTITION OF t1 FOR VALUES WITH (MODULUS 4, REMAINDER {i})" for i in range(4)]
    rows = "INSERT INTO t SELECT i % 400, i, i, i % 977 FROM generate_series(1, 12000) AS i"
    return [*said, "CREATE INDEX ON t (v)", rows, "ANALYZE t"]


@ON_MAJORS
@pytest.mark.parametrize("order", _ORDERS)
@pytest.mark.parametrize("scheme", list(_LEVELS))
def test_the_planner_merges_where_it_is_said(  # type: ignore[no-untyped-def]
    scheme: str, order: str, major: int, major_server, filled
) -> None:
    text = f"SELECT * FROM t {order}"
    with psycopg.connect(filled(major_server(major)), autocommit=True) as connection:
        connection.execute(f"SET search_path = s{list(_LEVELS).index(scheme)}".encode())
        plan = "\n".join(line for (line,) in connection.execute(f"EXPLAIN (COSTS off) {text}".encode()).fetchall())
    merge = of_text(text, scheme).merge
    top = "Merge Append" if plan.find("Merge Append") >= 0 and "  ->  Append" not in plan else "Append"
    if merge == "merge":
        assert top == "Merge Append", plan
    elif merge == "ordered":
        assert (top, "Sort" in plan) == ("Append", False), plan
    elif merge == "sort":
        assert "Sort" in plan, plan
    elif merge == "append":
        assert (top, "Append" in plan) == ("Append", True), plan
    else:
        assert "Append" not in plan, plan
