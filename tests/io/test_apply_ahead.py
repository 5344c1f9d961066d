"""Strategies ahead and attach: nothing is copied, everything stays, new rows are spread, and it can be undone."""

import re
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from partadvisor.io.migrate import apply, rollback
from partadvisor.io.server import Server
from partadvisor.model.errors import ServerError, UsageError
from tests.io.live import LOST, SETUP, Writers
from tests.io.outcome_cases import CASES, Case
from tests.majors import EMBEDDED, MAJORS
from tests.migration import dump, load, make_plan, make_roles, rows_of, run, statements

SUITABLE = {
    "plain", "empty", "dropped columns", "identity by default", "identity outside the key", "serial",
    "generated column and checks", "owner and grants", "row security", "unique constraint with options",
    "storage and statistics", "comments", "foreign keys out", "foreign keys in", "triggers", "views",
    "replica identity full", "publication", "column named as ours",
}  # fmt: skip
SCHEME = "range(k) from 1000, hash(k) into 3"
AHEAD, ATTACH = ("ahead", SCHEME, "t_before"), ("attach", "range(k) at (1000, 2000)", "t_p0")
QUICK_ATTACH = {"identity by default", "row security", "foreign keys in", "storage and statistics"}
ON_CASES = [
    pytest.param(
        case,
        way,
        major,
        id=f"{case.name}-{way[0]}-{major}",
        marks=[] if major == EMBEDDED and (way == AHEAD or case.name in QUICK_ATTACH) else [pytest.mark.matrix],
    )
    for major in MAJORS
    for case in CASES
    for way in (AHEAD, ATTACH)
    if case.name in SUITABLE and major >= case.since
    if way == AHEAD or (case.name != "empty" and (case.name in QUICK_ATTACH or major in {13, 18}))
]


def essence(statement: str) -> str:
    """Without what a partitioned table is allowed to differ in."""
    text = re.sub(r"\nPARTITION BY .*|\nWITH \(.*\)$", "", statement.replace(" ONLY ", " "))
    return re.sub(r" OWNED BY .*", "", text)


@pytest.mark.parametrize(("case", "way", "major"), ON_CASES)
def test_all_stays_and_goes_back(
    case: Case,
    way: tuple[str, str, str],
    major: int,
    major_server: Callable[[int], Server],
    make_db: Callable[[Server], str],
    tmp_path: Path,
) -> None:
    strategy, scheme, part = way
    dsn = make_db(major_server(major))
    make_roles(dsn)
    run(dsn, case.setup + "; ANALYZE")
    plain, before = dump(dsn), rows_of(dsn, "t")
    make_plan(dsn, "public.t", scheme, tmp_path, strategy)
    file = run(dsn, "SELECT pg_relation_filenode('t')")
    assert apply(tmp_path, dsn).state == "swapped"
    assert rows_of(dsn, "t") == before
    assert run(dsn, f"SELECT pg_relation_filenode('{part}')") == file
    wanted = {essence(s) for s in statements(plain)}
    assert wanted - {essence(s) for s in statements(dump(dsn))} == set()
    assert rollback(tmp_path, dsn).state == "rolled_back"
    assert statements(dump(dsn)) == statements(plain)
    assert rows_of(dsn, "t") == before


def test_new_rows_are_spread_and_the_identity_goes_on(db: str, tmp_path: Path) -> None:
    run(db, "CREATE TABLE t (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY)")
    run(db, "INSERT INTO t SELECT FROM generate_series(1, 990)")
    run(db, "ANALYZE t")
    make_plan(db, "public.t", "range(id) from 1000, hash(id) into 2", tmp_path)
    apply(tmp_path, db, finish=True)
    run(db, "INSERT INTO t SELECT FROM generate_series(1, 300)")
    counts: dict[str, int] = dict(run(db, "SELECT tableoid::regclass::text, count(*) FROM t GROUP BY 1"))
    assert counts["t_before"] == 999
    assert counts["t_after_p0"] + counts["t_after_p1"] == 291
    assert min(counts["t_after_p0"], counts["t_after_p1"]) > 100
    assert run(db, "SELECT max(id), count(DISTINCT id) FROM t") == [(1290, 1290)]


def test_the_bound_is_chosen_beyond_the_newest_row(db: str, tmp_path: Path) -> None:
    run(db, "CREATE TABLE t (id bigint PRIMARY KEY); INSERT INTO t SELECT generate_series(1, 5000); ANALYZE t")
    plan = make_plan(db, "public.t", "range(id) from now, hash(id) into 2", tmp_path)
    found = re.search(r"from (\d+)", plan.scheme)
    assert found
    assert int(found[1]) > 10_000
    assert plan.strategy == "ahead"
    assert apply(tmp_path, db).state == "swapped"


def test_rows_beyond_the_bound_stop_it(db: str, tmp_path: Path) -> None:
    run(db, "CREATE TABLE t (id int PRIMARY KEY); INSERT INTO t SELECT generate_series(1, 2000); ANALYZE t")
    make_plan(db, "public.t", "range(id) from 1000, hash(id) into 2", tmp_path)
    with pytest.raises(ServerError) as error:
        apply(tmp_path, db)
    assert "beyond the bound" in (error.value.detail or "")
    assert rollback(tmp_path, db).state == "rolled_back"


def test_what_it_cannot_do_is_refused(db: str, tmp_path: Path) -> None:
    run(db, "CREATE TABLE t (id int, k int PRIMARY KEY, up int REFERENCES t)")
    with pytest.raises(UsageError) as error:
        make_plan(db, "public.t", "range(id) from 1000, hash(k) into 2", tmp_path)
    assert "references the table itself" in (error.value.detail or "")
    assert 'column "id" can be NULL' in (error.value.detail or "")


def test_nothing_is_lost_under_writers(db: str, tmp_path: Path) -> None:
    run(db, SETUP.format(rows=20_000))
    make_plan(db, "public.item", "range(id) from 25000, hash(w) into 4", tmp_path)
    with Writers(db, 8) as writers:
        time.sleep(0.2)
        report = apply(tmp_path, db)
        assert report.state == "swapped"
        until = time.monotonic() + 8
        while time.monotonic() < until and run(db, "SELECT max(id) > 25100 FROM item") != [(True,)]:
            threading.Event().wait(0.1)
        rollback(tmp_path, db)
    print(f"longest client wait {writers.longest * 1000:.0f} ms, block {report.longest_block_ms:.0f} ms")
    assert writers.errors == []
    assert run(db, LOST) == [(0, 0, 0)]
    assert run(db, "SELECT relkind::text FROM pg_class WHERE oid = 'item'::regclass") == [("r",)]


def test_psql_alone_gives_the_same(server: Server, make_db: Callable[[Server], str], tmp_path: Path) -> None:
    setup = next(case.setup for case in CASES if case.name == "identity by default")
    dumps = []
    for name in ("apply", "psql"):
        dsn = make_db(server)
        run(dsn, setup + "; ANALYZE")
        make_plan(dsn, "public.t", SCHEME, tmp_path / name)
        if name == "apply":
            apply(tmp_path / name, dsn, finish=True)
        for path in sorted((tmp_path / name).glob("*.sql")) if name == "psql" else []:
            load(dsn, path.read_text())
        dumps.append(statements(dump(dsn)))
    assert dumps[0] == dumps[1]
