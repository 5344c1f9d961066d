"""After a migration the schema is what building the partitioned table directly gives, and no row has changed."""

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from _pytest.mark import ParameterSet

from partadvisor.io.collect.options import CollectOptions
from partadvisor.io.collect.run import collect
from partadvisor.io.migrate import ApplyOptions, apply, rollback
from partadvisor.io.server import Server
from partadvisor.pg.quote import quote_qualified
from partadvisor.pg.scheme_text import parse_scheme
from partadvisor.planner.partitions import Layout, layout_of
from tests.io.outcome_cases import CASES, Case
from tests.majors import EMBEDDED, MAJORS
from tests.migration import built_directly, dump, load, make_plan, make_roles, program, rows_of, run, statements

QUICK = ApplyOptions(pause=0, max_slowdown=None)
QUICK_REWRITE = {"kitchen sink", "owner and grants", "foreign keys in", "mixed case and quotes", "deferrable unique"}
QUICK_BACK = {"kitchen sink", "serial", "triggers", "foreign key to itself", "storage and statistics"}
EVERY_MAJOR = QUICK_REWRITE | {"nulls not distinct", "publication with filter and columns", "triggers"}
"""Of rewrite; its other cases run on the oldest and the newest two, since the swap they share is run on all by copy."""


def on_cases(strategy: str, quick: set[str] | None) -> list[ParameterSet]:
    """Each case on each major; unmarked are those of the embedded one that ``quick`` names, or all."""
    return [
        pytest.param(
            case,
            major,
            id=f"{case.name}-{major}",
            marks=[] if major == EMBEDDED and (quick is None or case.name in quick) else [pytest.mark.matrix],
        )
        for major in MAJORS
        for case in CASES
        if major >= case.since and strategy in case.strategies
        if strategy == "copy" or case.name in EVERY_MAJOR or major in {13, 17, 18}
    ]


def prepare(case: Case, server: Server, make_db: Callable[[Server], str]) -> str:
    dsn = make_db(server)
    make_roles(dsn)
    run(dsn, case.setup)
    run(dsn, "ANALYZE")
    return dsn


def layout_in(dsn: str, case: Case) -> Layout:
    relation = collect(dsn, CollectOptions(duration=0)).relation(f"{case.schema}.{case.table}")
    assert relation
    return layout_of(parse_scheme(case.scheme), relation)


@pytest.mark.parametrize(("case", "major"), on_cases("copy", None))
def test_schema_and_rows(
    case: Case, major: int, major_server: Callable[[int], Server], make_db: Callable[[Server], str], tmp_path: Path
) -> None:
    server = major_server(major)
    dsn = prepare(case, server, make_db)
    plain, before = dump(dsn), rows_of(dsn, quote_qualified(case.schema, case.table))
    layout = layout_in(dsn, case)
    make_plan(dsn, f"{case.schema}.{case.table}", case.scheme, tmp_path)
    assert apply(tmp_path, dsn, options=QUICK).state == "swapped"
    assert rows_of(dsn, quote_qualified(case.schema, case.table)) == before
    assert apply(tmp_path, dsn, finish=True).state == "finished"

    direct = make_db(server)
    parts = [(part.name, part.bound) for part in layout.parts]
    load(direct, built_directly(plain, case.schema, case.table, layout.key, parts))
    assert statements(dump(dsn)) == statements(dump(direct))
    assert rows_of(dsn, quote_qualified(case.schema, case.table)) == before


@pytest.mark.parametrize(("case", "major"), on_cases("copy", QUICK_BACK))
def test_rollback_restores_everything(
    case: Case, major: int, major_server: Callable[[int], Server], make_db: Callable[[Server], str], tmp_path: Path
) -> None:
    server = major_server(major)
    dsn = prepare(case, server, make_db)
    plain, before = dump(dsn), rows_of(dsn, quote_qualified(case.schema, case.table))
    make_plan(dsn, f"{case.schema}.{case.table}", case.scheme, tmp_path)
    apply(tmp_path, dsn, options=QUICK)
    assert rollback(tmp_path, dsn).state == "rolled_back"
    assert statements(dump(dsn)) == statements(plain)
    assert rows_of(dsn, quote_qualified(case.schema, case.table)) == before
    assert run(dsn, "SELECT nspname FROM pg_namespace WHERE nspname LIKE 'partadvisor%'") == []


@pytest.mark.parametrize(("case", "major"), on_cases("rewrite", QUICK_REWRITE))
def test_rewritten_there_and_back(
    case: Case, major: int, major_server: Callable[[int], Server], make_db: Callable[[Server], str], tmp_path: Path
) -> None:
    server = major_server(major)
    dsn = prepare(case, server, make_db)
    table = quote_qualified(case.schema, case.table)
    plain, before = dump(dsn), rows_of(dsn, table)
    layout = layout_in(dsn, case)
    make_plan(dsn, f"{case.schema}.{case.table}", case.scheme, tmp_path, "rewrite")
    assert apply(tmp_path, dsn).state == "swapped"
    assert rollback(tmp_path, dsn).state == "rolled_back"
    assert statements(dump(dsn)) == statements(plain)
    assert rows_of(dsn, table) == before
    assert apply(tmp_path, dsn, finish=True).state == "finished"
    assert rows_of(dsn, table) == before
    direct = make_db(server)
    parts = [(part.name, part.bound) for part in layout.parts]
    load(direct, built_directly(plain, case.schema, case.table, layout.key, parts))
    assert statements(dump(dsn)) == statements(dump(direct))


@pytest.mark.parametrize("strategy", ["copy", "rewrite"])
@pytest.mark.parametrize(
    "case", [case for case in CASES if case.name in {"kitchen sink", "serial", "mixed case and quotes"}]
)
def test_psql_alone_gives_the_same(
    case: Case, strategy: str, server: Server, make_db: Callable[[Server], str], tmp_path: Path
) -> None:
    dsn = prepare(case, server, make_db)
    before = rows_of(dsn, quote_qualified(case.schema, case.table))
    make_plan(dsn, f"{case.schema}.{case.table}", case.scheme, tmp_path, strategy)
    for path in sorted(tmp_path.glob("*.sql")):
        done = subprocess.run([program("psql"), "-X", "-q", "-f", str(path), dsn], capture_output=True, text=True)
        assert done.returncode == 0, f"{path.name}: {done.stderr}"
    by_apply = prepare(case, server, make_db)
    make_plan(by_apply, f"{case.schema}.{case.table}", case.scheme, tmp_path / "again", strategy)
    apply(tmp_path / "again", by_apply, finish=True, options=QUICK)
    assert statements(dump(dsn)) == statements(dump(by_apply))
    assert rows_of(dsn, quote_qualified(case.schema, case.table)) == before
    assert apply(tmp_path, dsn, finish=True).steps_run == ()
