"""Grouping, weights and coverage."""

import time

import pytest

from partadvisor.model.activity import StatementDelta
from partadvisor.model.snapshot import Statements
from partadvisor.model.workload import Workload
from partadvisor.sql.names import SchemaNames, TableNames
from partadvisor.workload.families import build_workload

NAMES = SchemaNames(
    {"public.t": TableNames(("id", "k", "ts"), {"ts": "now()"}, frozenset({"id"}))}, by_name={"t": ("public.t",)}
)


def entry(text: str, calls: float, total_ms: float = 0.0, rows: float = 0.0, **more: str) -> StatementDelta:
    return StatementDelta(
        query_id=more.get("at", ""), text=text, calls=calls, total_ms=total_ms, rows=rows, name=more.get("name")
    )


def build(*entries: StatementDelta, seconds: float | None = 10.0, source: str = "pg_stat_statements") -> Workload:
    statements = Statements(source=source, seconds=seconds, entries=entries)  # type: ignore[arg-type]
    return build_workload([statements], NAMES)


def test_one_shape_is_one_family() -> None:
    (family,) = build(
        entry("select * from t where k = $1", 30, 60, 30),
        entry("SELECT *  FROM t WHERE k = 7", 10, 100, 50),
    ).families
    assert (family.calls, family.calls_per_second, family.mean_ms, family.rows_per_call) == (40, 4.0, 4.0, 2.0)
    assert family.text == "select * from t where k = $1"
    assert family.pattern is not None
    assert family.pattern.tables[0].table == "public.t"


def test_order_is_by_total_time_then_calls() -> None:
    found = build(
        entry("select 1 from t", 5, 1), entry("select ts from t", 1, 9), entry("select k from t", 7, 1)
    ).families
    assert [f.text for f in found] == ["select ts from t", "select k from t", "select 1 from t"]


def test_unknown_span_gives_no_rate() -> None:
    (family,) = build(entry("select * from t", 5), seconds=None).families
    assert (family.calls, family.calls_per_second) == (5, None)


def test_inserts_of_different_length_are_one_family_with_the_mean_length() -> None:
    (family,) = build(
        entry("insert into t (id, k) values ($1, $2)", 30),
        entry("insert into t (id, k) values ($1, $2), ($3, $2), ($4, $2)", 10),
    ).families
    assert family.pattern is not None
    (access,) = family.pattern.tables
    assert access.rows == pytest.approx(1.5)
    assert "k" in access.constant_columns
    assert "id" not in access.constant_columns


def test_logged_values_tell_what_is_constant_in_a_statement() -> None:
    text = "insert into t (id, k) values ($1, $2), ($3, $4)"
    values = tuple((str(n), "7" if n else "5", str(n + 10), "7" if n else "5") for n in range(3))
    log = Statements(
        source="log", seconds=1.0, entries=(StatementDelta(query_id="", text=text, calls=3, parameters=values),)
    )
    counted = Statements(source="pg_stat_statements", seconds=10.0, entries=(entry(text, 100),))
    (family,) = build_workload([log, counted], NAMES).families
    assert (family.calls, family.parameters) == (100, values)
    assert family.pattern is not None
    (access,) = family.pattern.tables
    assert (access.constant_columns, access.varying_columns) == (("k", "ts"), ("id",))


@pytest.mark.parametrize(
    "values",
    [
        (("1", "7", "2", "7"),) * 2,  # too few
        (("1", "7", "2", "7"), ("1", "7", "2", "7"), ("1", "7", "2", "8")),
        (("1", "7", "2"),) * 3,
        (),
    ],
)
def test_values_that_do_not_tell(values: tuple[tuple[str, ...], ...]) -> None:
    delta = StatementDelta(
        query_id="", text="insert into t (id, k) values ($1, $2), ($3, $4)", calls=3, parameters=values
    )
    (family,) = build(delta, source="log").families
    assert family.pattern is not None
    assert "k" not in family.pattern.tables[0].constant_columns


def test_literal_inserts_of_one_shape_say_what_they_agree_on() -> None:
    (family,) = build(
        entry("insert into t (id, k) values (1, 7), (2, 7)", 3),
        entry("insert into t (id, k) values (3, 8), (4, 9), (5, 8)", 1),
        source="log",
    ).families
    assert family.pattern is not None
    (access,) = family.pattern.tables
    assert access.rows == pytest.approx(2.25)
    assert (access.constant_columns, access.varying_columns) == (("ts",), ("id",))


def test_more_rows_than_the_text_shows() -> None:
    (family,) = build(entry("insert into t (k) values ($1)", 1200, 480, 12_000), source="file", seconds=1.0).families
    assert family.pattern is not None
    (access,) = family.pattern.tables
    assert (access.rows, access.constant_columns, access.varying_columns) == (10, ("ts",), ("id",))


def test_numbered_tables_stay_apart() -> None:
    assert (
        len(build(entry("select * from t_01 where k = 1", 1), entry("select * from t_02 where k = 1", 1)).families) == 2
    )


def test_names_keep_statements_of_one_shape_apart() -> None:
    found = build(
        entry("select * from t where k = 1", 1, name="a"), entry("select * from t where k = 2", 2, name="b")
    ).families
    assert [(f.name, f.calls) for f in found] == [("b", 2), ("a", 1)]


def test_several_sources_do_not_count_a_call_twice() -> None:
    seen = Statements(source="pg_stat_statements", seconds=10.0, entries=(entry("select * from t where k = $1", 100),))
    log = Statements(source="log", seconds=60.0, entries=(entry("select * from t where k = 5", 600),))
    told = Statements(source="file", seconds=1.0, entries=(entry("select * from t where k = $1", 9, name="by k"),))
    (family,) = build_workload([log, told, seen], NAMES).families
    assert (family.calls, family.calls_per_second, family.name) == (100, 10.0, "by k")


def test_coverage_and_reasons() -> None:
    workload = build(
        entry("select * from t", 60, 10),
        entry("selec * from t", 20, 30, at="q.sql:7"),
        entry("call p()", 20),
        entry("begin", 1000),
        entry("select 1", 1000, 50),
        source="file",
    )
    assert [f.text for f in workload.families] == ["selec * from t", "select * from t", "call p()"]
    assert workload.families[0].not_analysed == 'syntax error at or near "selec" (q.sql:7)'
    coverage = workload.coverage
    assert (coverage.families, coverage.understood_families) == (3, 1)
    assert (coverage.calls_share, coverage.time_share) == (0.6, 0.25)
    assert coverage.without_table == 2
    assert [(g.reason, g.families, g.calls_share, g.time_share, g.example) for g in coverage.gaps] == [
        ('syntax error at or near "selec" (q.sql:7)', 1, 0.2, 0.75, "selec * from t"),
        ("the statements inside a procedure are not in its text", 1, 0.2, 0.0, "call p()"),
    ]


def test_time_share_follows_calls_when_no_time_is_known() -> None:
    coverage = build(entry("select * from t", 3), entry("selec", 1)).coverage
    assert coverage.time_share == coverage.calls_share == 0.75
    assert build().coverage.calls_share == 1.0


def test_many_texts_take_little_time() -> None:
    texts = [f"select a{n}, b from t where k = $1 and c{n} in ($2,$3) order by ts limit 5" for n in range(2_000)]
    start = time.process_time()
    found = build(*(entry(text, 1) for text in texts))
    assert time.process_time() - start < 4  # a quarter of it on a quiet machine
    assert found.coverage.understood_families == 2_000
