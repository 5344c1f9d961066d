"""The shadow planner against real tables: same sizes, rows and plans as in filled and analysed ones."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec
import pytest

from partadvisor.advise.advise import advise_on, workload_of
from partadvisor.advise.sizes import level_sizes as counted
from partadvisor.advise.subject import Subject, Use
from partadvisor.io.binaries import find_binaries
from partadvisor.io.collect.redact import redact
from partadvisor.io.connect import Connection
from partadvisor.io.server import Server
from partadvisor.io.shadow.btree import height_of
from partadvisor.io.shadow.compare import Answer, ask, target_of
from partadvisor.io.shadow.plans import Target, cost, scans
from partadvisor.io.shadow.predict import level_sizes, predicted_partitions
from partadvisor.io.shadow.run import lay_out, verify_on
from partadvisor.io.shadow.values import Chooser
from partadvisor.io.shadow.world import shadow_server, world
from partadvisor.model.advice import Advice
from partadvisor.model.catalog import Relation
from partadvisor.model.errors import UsageError
from partadvisor.model.snapshot import ServerInfo, Snapshot
from partadvisor.model.workload import AccessPattern, QueryFamily
from partadvisor.pg.scheme_text import parse_scheme
from tests.majors import major_binaries
from tests.shadow_cases import CASES, Case, answers, candidate, chooser_of, fill, fill_candidate, reads, session
from tests.shadow_cases import workload_of as understood

CASE_OF = {case.name: case for case in CASES}
ORDER_ENTRY = Path(__file__).parent.parent / "cases" / "order_entry"
QUICK = {"votes": ("hash(poll) into 8",)}
LONG = {
    "events": ("range(at) by month", "hash(id) into 8"),
    "tenants": ("hash(tenant) into 16",),
    "billing": ("range(day) by week",),
    "chat": ("hash(room) into 8",),
    "clicks": ("range(at) by month", "hash(session) into 8"),
    "ledger": ("range(booked) by quarter", "hash(account) into 4"),
    "metrics": ("range(at) by month",),
    "orders": ("hash(warehouse) into 8",),
    "queue": ("list(queue)",),
    "social": ("hash(author) into 8",),
    "trips": (
        "hash(trip, vehicle) into 8",
        "range(at) by month, hash(vehicle) into 4",
        "range(trip) from now, hash(trip) into 4",
    ),
}
FILL_ITEMS = """INSERT INTO app.item SELECT i, (ARRAY['sad', 'glad'])[1 + least(1, i % 9)]::app.mood, 'c' || i, '{a}',
  date '2026-01-01' + i % 300 FROM generate_series(1, 5000) i"""
PLAIN = ServerInfo(version="18", version_num=180000, database="d")


@pytest.fixture(scope="module")
def shadow() -> Iterator[Server]:
    with shadow_server(find_binaries()) as started:
        yield started


def _applications(tables: Mapping[str, tuple[str, ...]], *marks: Any) -> list[Any]:
    return [pytest.param(CASE_OF[name], schemes, id=name, marks=marks) for name, schemes in tables.items()]


@pytest.mark.parametrize(("case", "schemes"), [*_applications(QUICK), *_applications(LONG, pytest.mark.long)])
def test_plans_are_those_of_filled_tables(
    case: Case, schemes: tuple[str, ...], server: Server, shadow: Server, make_db: Callable[[Server], str]
) -> None:
    dsn = make_db(server)
    snapshot = fill(case, dsn)
    uses = reads(case, understood(snapshot))
    with session(dsn, snapshot) as real, world(shadow, "before", snapshot.server, snapshot.relations) as there:
        assert there.notes == ()
        assert _sizes(there.connection) == _sizes(real)
        known = answers(real, uses, snapshot)
        _same_plans(uses, known, _again(there.connection, uses, known, snapshot), 0.02, Target(frozenset()))
    for scheme in schemes:
        laid = candidate(case, snapshot, scheme)
        filled = make_db(server)
        fill_candidate(case, filled, snapshot, laid)
        with session(filled, snapshot) as real, world(shadow, "after", snapshot.server, snapshot.relations, laid) as it:
            assert it.notes == ()
            found = _again(it.connection, uses, known, snapshot)
            _same_plans(uses, _again(real, uses, known, snapshot), found, 0.3, target_of(laid))
        for use, answer in zip(uses, found, strict=True):
            assert answer.planned
            predicted = predicted_partitions(use, laid, answer.values)
            assert predicted in (None, len(list(scans(answer.planned.custom, target_of(laid))))), (scheme, use.name)


def _again(connection: Connection, uses: tuple[Use, ...], known: list[Answer], snapshot: Snapshot) -> list[Answer]:
    return [ask(connection, u, chooser_of(snapshot), a.values) for u, a in zip(uses, known, strict=True)]


def _same_plans(
    uses: tuple[Use, ...], real: list[Answer], found: list[Answer], tolerance: float, target: Target
) -> None:
    """Costs within the tolerance (and a few units), and the same leaves scanned."""
    for use, a, b in zip(uses, real, found, strict=True):
        assert a.planned, (use.name, a.problem)
        assert b.planned, (use.name, b.problem)
        for one, other in ((a.planned.custom, b.planned.custom), (a.planned.generic, b.planned.generic)):
            costs = one["Total Cost"], other["Total Cost"]
            assert costs[1] == pytest.approx(costs[0], rel=tolerance, abs=3), (use.name, costs)
            assert other["Plan Rows"] == pytest.approx(one["Plan Rows"], rel=tolerance, abs=5), use.name
            assert _leaves(one, target) == _leaves(other, target), use.name
        assert a.planned.locks == b.planned.locks, use.name
        assert a.planned.generic_locks == b.planned.generic_locks, use.name


def _leaves(plan: dict[str, Any], target: Target) -> list[str]:
    return sorted(scan["Relation Name"] for scan in scans(plan, target))


def _sizes(connection: Connection) -> list[tuple[Any, ...]]:
    return connection.execute(
        "SELECT relname, reltuples, pg_relation_size(oid) FROM pg_class WHERE relkind IN ('r', 'i')"
        " AND oid >= 16384 AND relnamespace <> 'pg_toast'::regnamespace ORDER BY 1"
    ).fetchall()


def test_five_gigabytes_take_no_disk_and_the_indexes_are_sound(shadow: Server) -> None:
    table = _relation("CREATE TABLE t (id bigint PRIMARY KEY, x int)", shadow)
    indexes = tuple(msgspec.structs.replace(i, size_bytes=3 << 30) for i in table.indexes)
    big = msgspec.structs.replace(table, rows=9e7, pages=655_360, heap_bytes=5 << 30, indexes=indexes)
    with world(shadow, "big", PLAIN, [big]) as there:
        row = there.connection.execute("SELECT pg_relation_size('t'), pg_relation_size('t_pkey')").fetchone()
        assert row == (5 << 30, 3 << 30)
        shadow.execute("CREATE EXTENSION amcheck", "big")
        shadow.execute("SELECT bt_index_parent_check('t_pkey')", "big")
        plan = there.connection.execute("EXPLAIN (FORMAT JSON) SELECT FROM t").fetchone()
        assert plan
        assert plan[0][0]["Plan"]["Plan Rows"] == 90_000_000
        row = there.connection.execute("SELECT pg_relation_filepath('t')").fetchone()
        assert row
        files = sorted((shadow.data_dir / row[0]).parent.glob(f"{Path(row[0]).name}*"))
        assert len(files) >= 5
        assert sum(file.stat().st_blocks for file in files) * 512 < 1 << 20


def _relation(schema: str, server: Server) -> Relation:
    """A table as its catalog tells it."""
    from partadvisor.io.collect.options import CollectOptions
    from partadvisor.io.collect.run import collect

    server.create_database("made")
    for statement in schema.split(";"):
        server.execute(statement, "made")
    snapshot = collect(server.dsn("made"), CollectOptions(duration=0))
    server.execute("DROP DATABASE made")
    return snapshot.relations[0]


@pytest.mark.parametrize(
    ("pages", "key_bytes", "height"), [(2, 8, 0), (3, 8, 1), (280, 8, 1), (400, 8, 2), (10_466, 12, 2), (131_072, 8, 3)]
)
def test_height_of_an_index(pages: int, key_bytes: float, height: int) -> None:
    assert height_of(pages, key_bytes) == height


HOSTILE = "SELECT 1; COPY (SELECT 1) TO PROGRAM 'touch {path}'"


def test_a_snapshot_cannot_run_programs(shadow: Server, tmp_path: Path) -> None:
    path = tmp_path / "made"
    table = _relation("CREATE TABLE t (id bigint PRIMARY KEY, x int)", shadow)
    use = Use(
        QueryFamily(fingerprint="f", text=HOSTILE.format(path=path), calls=1.0, pattern=AccessPattern(kind="select")),
        (),
    )
    with world(shadow, "hostile", PLAIN, [table]) as there:
        found = ask(there.connection, use, Chooser({}, "2026-01-01"), None)
    assert found.planned is None
    assert "permission denied" in found.problem
    assert not path.exists()


@pytest.fixture(scope="module")
def filled(server: Server, make_db: Callable[[Server], str]) -> Snapshot:
    return fill(CASE_OF["sensors"], make_db(server))


def _verified(server: Server, snapshot: Snapshot, table: str, *keys: str) -> Advice:
    workload = workload_of(snapshot)
    advice = advise_on(snapshot, workload, table=table, keys=keys, top=1, details=True)
    return verify_on(server, snapshot, advice, workload, progress=lambda _what, _share: None, details=True)


def _candidate(advice: Advice, scheme: str) -> Any:
    return next(c for c in advice.tables[0].candidates if c.scheme == scheme)


def test_statements_without_a_plan_are_told_and_failures_stand_first(filled: Snapshot, shadow: Server) -> None:
    text = (
        "-- name: unknown function\n-- calls: 5 per second\nSELECT no_such(sensor) FROM reading WHERE at = $1;\n"
        "-- name: upsert\n-- calls: 1 per second\nINSERT INTO reading (sensor, at, value) VALUES ($1, $2, $3)"
        " ON CONFLICT ON CONSTRAINT reading_pkey DO NOTHING;\n"
        "-- name: driver\n-- calls: 5 per second\n"
        "SELECT value FROM reading WHERE sensor = %s AND at > now() - interval %s;\n"
    )
    from partadvisor.workload.files import parse_workload

    snapshot = msgspec.structs.replace(filled, statements=(parse_workload("q.sql", text),))
    found = _candidate(_verified(shadow, snapshot, "public.reading", "hash(sensor) into 4"), "hash(sensor) into 4")
    queries = {q.name: q for q in found.verification.queries}
    assert "no_such" in queries["unknown function"].problem
    assert not queries["unknown function"].fails
    assert queries["upsert"].problem is None
    assert (queries["driver"].partitions, queries["driver"].partitions_generic, queries["driver"].predicted) == (
        1,
        4,
        1,
    )
    assert found.verification.planned == 1


def test_a_redacted_snapshot_still_tells_partitions_and_costs(filled: Snapshot, shadow: Server) -> None:
    hidden = redact(filled)
    plain = _candidate(
        _verified(shadow, filled, "public.reading", "hash(sensor) into 4"), "hash(sensor) into 4"
    ).verification
    found = _candidate(
        _verified(shadow, hidden, "public.reading", "hash(sensor) into 4"), "hash(sensor) into 4"
    ).verification
    assert found.planned == plain.planned == 4
    assert found.differences == ()
    assert found.cost_ratio == pytest.approx(plain.cost_ratio, rel=0.3)


def test_worse_candidates_cost_more(filled: Snapshot, shadow: Server) -> None:
    advice = _verified(
        shadow, filled, "public.reading", "hash(sensor) into 16", "hash(at) into 16", "range(at) by month"
    )
    good, bad = _candidate(advice, "hash(sensor) into 16"), _candidate(advice, "hash(at) into 16")
    assert good.read.verified
    assert bad.read.verified
    assert good.read.cost_ratio < 1.2 < bad.read.cost_ratio
    worst = bad.verification.queries[0]
    assert worst.name in ("latest of a sensor", "series of a sensor")
    assert (worst.partitions, worst.predicted) == (16, 16)
    assert worst.locks > worst.locks_before
    month = _candidate(advice, "range(at) by month")
    assert month.verification.differences == ()


_EVERY_KIND = [
    "range(at) by month", "range(at) by week", "range(sensor) by 100", "list(sensor)", "list(sensor) in ((1, 2), (3))",
    "range(sensor) at (10, 20)", "range(sensor, at) at (10)", "range(at) by month, range(sensor) at (7)",
    "range(sensor) from 10, hash(sensor) into 4", "range(sensor) at (10, 20), hash(at) into 2",
]  # fmt: skip


@pytest.mark.parametrize("scheme", _EVERY_KIND)
def test_the_advisor_counts_partitions_as_they_are_made(scheme: str, filled: Snapshot) -> None:
    relation = filled.relation("public.reading")
    assert relation
    laid = lay_out(filled, relation, parse_scheme(scheme))
    assert counted(parse_scheme(scheme), Subject(relation=relation, major=18)) == level_sizes(laid.layout)


def test_types_views_and_trees_of_another_database(
    server: Server, make_db: Callable[[Server], str], shadow: Server
) -> None:
    from partadvisor.io.collect.options import CollectOptions
    from partadvisor.io.collect.run import collect

    dsn = make_db(server)
    statements = (
        "CREATE SCHEMA app",
        "CREATE TYPE app.mood AS ENUM ('sad', 'glad')",
        "CREATE DOMAIN app.code AS varchar(9) CHECK (value <> '')",
        "CREATE TABLE app.item (id int PRIMARY KEY, mood app.mood NOT NULL, code app.code, tags text[], at date)",
        "CREATE INDEX ON app.item (mood) WHERE mood = 'sad'",
        "CREATE INDEX ON app.item USING gin (tags)",
        "CREATE VIEW app.sad AS SELECT * FROM app.item WHERE mood = 'sad'",
        "CREATE TABLE app.log (item int REFERENCES app.item, at date NOT NULL, n int) PARTITION BY RANGE (at)",
        "CREATE TABLE app.log_1 PARTITION OF app.log FOR VALUES FROM ('2026-01-01') TO ('2026-07-01')",
        "CREATE TABLE app.log_2 PARTITION OF app.log FOR VALUES FROM ('2026-07-01') TO ('2027-01-01')",
        "CREATE INDEX ON app.log (item)",
        "CREATE TABLE app.base (id int, x int)",
        "CREATE TABLE app.child (y int) INHERITS (app.base)",
        FILL_ITEMS,
        "INSERT INTO app.log SELECT 1 + i % 5000, date '2026-01-01' + i % 365, i FROM generate_series(1, 20000) i",
        "INSERT INTO app.child SELECT i, i, i FROM generate_series(1, 3000) i",
        "VACUUM ANALYZE",
    )
    with session(dsn, Snapshot(tool_version="0", taken_at="2026-01-01", server=PLAIN)) as connection:
        for statement in statements:
            connection.execute(statement.encode())
    snapshot = collect(dsn, CollectOptions(duration=0))
    asked = (
        "SELECT * FROM app.sad WHERE id < 100",
        "SELECT * FROM app.log WHERE at = '2026-08-03' AND item = 7",
        "SELECT count(*) FROM app.log l JOIN app.item i ON i.id = l.item WHERE i.mood = 'sad'",
        "SELECT * FROM app.base WHERE id = 5",
    )
    with session(dsn, snapshot) as real, world(shadow, "zoo", snapshot.server, snapshot.relations) as there:
        assert [n for n in there.notes if "stands in" not in n] == []
        assert any("app.mood" in n for n in there.notes)
        for text in asked:
            use = Use(QueryFamily(fingerprint="f", text=text, calls=1.0), ())
            a, b = (ask(c, use, chooser_of(snapshot), None) for c in (real, there.connection))
            assert a.planned
            assert b.planned, (text, b.problem)
            assert b.planned.custom["Total Cost"] == pytest.approx(a.planned.custom["Total Cost"], rel=0.1), text
            assert b.planned.custom["Plan Rows"] == pytest.approx(a.planned.custom["Plan Rows"], rel=0.1, abs=2), text


@pytest.mark.matrix
@pytest.mark.parametrize("major", [13, 14, 15, 16, 17])
def test_snapshots_of_older_versions(
    major: int, major_server: Callable[[int], Server], make_db: Callable[[Server], str], shadow: Server
) -> None:
    snapshot = fill(CASE_OF["ledger"], make_db(major_server(major)))
    assert snapshot.server.major == major
    found = _candidate(_verified(shadow, snapshot, "public.entry", "hash(account) into 4"), "hash(account) into 4")
    assert found.read.verified
    assert found.verification.planned == 4
    assert found.verification.notes == ()
    assert found.verification.compared_partitions >= 4


@pytest.mark.matrix
def test_programs_that_cannot_restore_statistics_are_refused(filled: Snapshot) -> None:
    with pytest.raises(UsageError, match="needs PostgreSQL 18"), shadow_server(major_binaries(17)):
        pass


def _loop(children: list[dict[str, Any]]) -> dict[str, Any]:
    append = {
        "Node Type": "Append",
        "Parent Relationship": "Inner",
        "Total Cost": 16.0,
        "Plan Rows": 1,
        "Plans": children,
    }
    outer = {"Node Type": "Seq Scan", "Parent Relationship": "Outer", "Total Cost": 10.0, "Plan Rows": 5}
    return {"Node Type": "Nested Loop", "Total Cost": 100.0, "Plan Rows": 5, "Plans": [outer, append]}


def _lookup(number: int, condition: str) -> dict[str, Any]:
    return {
        "Node Type": "Index Scan",
        "Schema": "s",
        "Relation Name": f"p{number}",
        "Total Cost": 8.0,
        "Index Cond": condition,
    }


LEAVES = Target(frozenset({("s", "p0"), ("s", "p1")}), ((("k",), 2),))


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("(t.k = o.k)", 60.0),  # one of two partitions for each of five outer rows: 5 x 8 less
        ("(o.k = t.k)", 60.0),
        ("((t.k = o.k) AND (t.d = 5))", 60.0),
        ("(t.k = $1)", 60.0),
        ("(t.k = 5)", 100.0),  # a constant would have pruned when planning
        ("(t.d = o.k2)", 100.0),
        ("(t.k > o.k)", 100.0),
    ],
)
def test_partitions_ruled_out_in_a_nested_loop_cost_nothing(condition: str, expected: float) -> None:
    assert cost(_loop([_lookup(0, condition), _lookup(1, condition)]), LEAVES) == pytest.approx(expected)


def test_partitions_removed_at_the_start_cost_nothing() -> None:
    plan = {"Node Type": "Append", "Total Cost": 40.0, "Subplans Removed": 3, "Plans": [_lookup(0, "(t.k = $1)")]}
    assert cost(plan, LEAVES) == pytest.approx(8.0)


def test_the_command_verifies_a_schema_without_a_server() -> None:
    argv = [sys.executable, "-m", "partadvisor", "advise", "--verify", "shadow", "--format", "json", "--top", "1"]
    for option, file in (("--schema", "schema.sql"), ("--queries", "queries.sql"), ("--stats", "stats.toml")):
        argv += [option, str(ORDER_ENTRY / file)]
    done = subprocess.run(argv, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "planner: public.order_line by hash(ol_w_id) into 16" in done.stderr
    found = json.loads(done.stdout)["tables"][0]["candidates"]
    assert found[0]["read"]["verified"] is True
    assert found[0]["read"]["planning_time_ratio"] > 0
    assert all(c["verification"]["planned"] >= 3 and not c["verification"]["differences"] for c in found)
