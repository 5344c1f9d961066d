"""Which strategy is taken, and that rewrite and attach are all or nothing, under psql and for other roles too."""

from collections.abc import Callable
from pathlib import Path

import pytest

from partadvisor.io.migrate import apply, rollback
from partadvisor.io.server import Server
from partadvisor.model.errors import PartadvisorError, ServerError, UsageError
from tests.io.outcome_cases import CASES
from tests.migration import dump, load, make_plan, make_roles, rows_of, run, statements

PLAIN = "CREATE TABLE t (k int PRIMARY KEY, v int); INSERT INTO t SELECT i, i FROM generate_series(1, 200) i; ANALYZE t"
LIST = (
    "CREATE TABLE t (k int, region text NOT NULL, PRIMARY KEY (k, region)); "
    "INSERT INTO t SELECT i, 'eu' FROM generate_series(1, {rows}) i; ANALYZE t"
)
WAYS = [("rewrite", "hash(k) into 3"), ("attach", "range(k) at (1000)")]
DIES = """
CREATE SEQUENCE deaths;
CREATE FUNCTION dies() RETURNS event_trigger LANGUAGE plpgsql AS $$ BEGIN
  IF nextval('public.deaths') = ANY (ARRAY[{at}]) THEN PERFORM pg_terminate_backend(pg_backend_pid(), 0); END IF;
END $$;
CREATE EVENT TRIGGER dies ON ddl_command_end EXECUTE FUNCTION dies();
"""

SCANS = "SELECT seq_scan, idx_scan FROM pg_stat_user_tables WHERE schemaname = 'public' AND relname = '{table}'"


def test_small_tables_are_rewritten_and_large_ones_copied_or_attached(db: str, tmp_path: Path) -> None:
    run(db, LIST.format(rows=300))
    scheme = "list(region) in ((eu), (us))"
    assert make_plan(db, "public.t", scheme, tmp_path / "a", "auto").strategy == "rewrite"
    run(db, "DROP TABLE t; " + LIST.format(rows=200_000))
    attached = make_plan(db, "public.t", scheme, tmp_path / "b", "auto")
    assert (attached.strategy, attached.disk_bytes_needed) == ("attach", None)
    assert "t_p0" in attached.reason
    assert make_plan(db, "public.t", "hash(k) into 3", tmp_path / "c", "auto").strategy == "copy"
    assert make_plan(db, "public.t", "range(k) at (1000000, 2000000)", tmp_path / "d", "auto").strategy == "attach"
    near = make_plan(db, "public.t", "range(k) at (200100, 2000000)", tmp_path / "e", "auto")
    assert near.strategy == "copy"
    assert make_plan(db, "public.t", "hash(k) into 3", tmp_path / "f", "rewrite").strategy == "rewrite"


def test_a_table_whose_size_is_not_known_is_not_rewritten_unasked(db: str, tmp_path: Path) -> None:
    run(db, "CREATE TABLE t (k int PRIMARY KEY)")
    assert make_plan(db, "public.t", "hash(k) into 3", tmp_path, "auto").strategy == "copy"


@pytest.mark.parametrize(
    ("scheme", "strategy", "reason"),
    [
        ("hash(k) into 2", "attach", "Hash partitions divide the rows"),
        ("range(k) at (100)", "attach", "belong to different partitions"),
        ("range(k) at (1000), hash(v) into 2", "attach", "two levels"),
        ("list(v) in ((1), (2))", "attach", "may have values that the statistics do not name"),
        ("hash(k) into 2", "ahead", "begins beyond the present rows"),
        ("range(k) from 1000, hash(k) into 2", "rewrite", "leaves old rows where they are"),
    ],
)
def test_what_does_not_fit_is_refused(db: str, scheme: str, strategy: str, reason: str, tmp_path: Path) -> None:
    run(db, PLAIN.replace("PRIMARY KEY, v int", "PRIMARY KEY, v int NOT NULL"))
    with pytest.raises(UsageError) as error:
        make_plan(db, "public.t", scheme, tmp_path, strategy)
    assert reason in f"{error.value.message} {error.value.detail}"


@pytest.mark.parametrize(("strategy", "scheme"), WAYS)
def test_killed_anywhere_nothing_is_half_done(db: str, strategy: str, scheme: str, tmp_path: Path) -> None:
    setup = next(case.setup for case in CASES if case.name == "foreign keys in")
    make_roles(db)
    run(db, setup + "; " + DIES.format(at="3, 17, 40, 55, 70, 80") + "; ANALYZE")
    plain, before = dump(db), rows_of(db, "t")
    make_plan(db, "public.t", scheme, tmp_path, strategy)
    killed, state = 0, ""
    while state != "swapped":
        try:
            state = apply(tmp_path, db).state
        except ServerError:
            killed += 1
            assert rows_of(db, "t") == before
    assert killed >= 2
    run(db, "INSERT INTO t SELECT i FROM generate_series(1001, 1010) i; DELETE FROM t WHERE k = 1; UPDATE t SET v = 5")
    after = rows_of(db, "t")
    while state != "rolled_back":
        try:
            state = rollback(tmp_path, db).state
        except ServerError:
            killed += 1
    assert rows_of(db, "t") == after
    assert statements(dump(db)) == statements(plain)


@pytest.mark.parametrize(("strategy", "scheme"), WAYS)
def test_psql_alone_gives_the_same(
    server: Server, make_db: Callable[[Server], str], strategy: str, scheme: str, tmp_path: Path
) -> None:
    setup = next(case.setup for case in CASES if case.name == "identity by default")
    dumps, rows = [], []
    for name in ("apply", "psql"):
        dsn = make_db(server)
        run(dsn, setup + "; ANALYZE")
        make_plan(dsn, "public.t", scheme, tmp_path / name, strategy)
        if name == "apply":
            apply(tmp_path / name, dsn, finish=True)
        for path in sorted((tmp_path / name).glob("*.sql")) if name == "psql" else []:
            load(dsn, path.read_text())
        dumps.append(statements(dump(dsn)))
        rows.append(rows_of(dsn, "t"))
    assert dumps[0] == dumps[1]
    assert rows[0] == rows[1]


@pytest.mark.parametrize(("strategy", "scheme"), [("copy", "hash(k) into 3"), *WAYS])
def test_other_roles_see_and_may_do_what_they_could(db: str, strategy: str, scheme: str, tmp_path: Path) -> None:
    make_roles(db)
    run(
        db,
        "CREATE TABLE t (k int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, who name DEFAULT current_user, secret int);"
        "ALTER TABLE t ENABLE ROW LEVEL SECURITY; CREATE POLICY mine ON t TO pa_app USING (who = current_user);"
        "GRANT SELECT (k, who), INSERT (who), UPDATE (who) ON t TO pa_app;"
        "INSERT INTO t (who) SELECT CASE i % 2 WHEN 0 THEN 'pa_app' ELSE 'x' END FROM generate_series(1, 100) i;"
        "ANALYZE t",
    )
    make_plan(db, "public.t", scheme, tmp_path, strategy)
    apply(tmp_path, db)
    parts = [row[0] for row in run(db, "SELECT relid::regclass::text FROM pg_partition_tree('t') WHERE isleaf")]
    assert run(db, "SET ROLE pa_app; SELECT count(k) FROM t") == [(50,)]
    assert run(db, "SET ROLE pa_app; INSERT INTO t DEFAULT VALUES RETURNING k") == [(101,)]
    for refused in ("SELECT secret FROM t", "DELETE FROM t", *(f"SELECT secret FROM {part}" for part in parts)):
        with pytest.raises(Exception, match="permission denied"):
            run(db, f"SET ROLE pa_app; {refused}")
    rollback(tmp_path, db)
    assert run(db, "SET ROLE pa_app; SELECT count(k) FROM t") == [(51,)]


def test_rows_of_another_partition_stop_attach(db: str, tmp_path: Path) -> None:
    run(db, LIST.format(rows=300))
    make_plan(db, "public.t", "list(region) in ((eu), (us))", tmp_path, "attach")
    run(db, "INSERT INTO t VALUES (1, 'us')")
    with pytest.raises(PartadvisorError) as error:
        apply(tmp_path, db)
    assert "--strategy copy" in (error.value.hint or "")
    assert rollback(tmp_path, db).state == "rolled_back"


def test_attach_reads_no_row_under_its_lock(db: str, tmp_path: Path) -> None:
    """The partition's bound follows from the CHECK: the table is read to validate that, and not again."""
    run(db, LIST.format(rows=2000))
    make_plan(db, "public.t", "list(region) in ((eu, ea), (us))", tmp_path, "attach")
    for path in sorted(tmp_path.glob("*.sql")):
        if "-swap-swap" in path.name:
            break
        load(db, path.read_text())
    before = run(db, SCANS.format(table="t"))
    apply(tmp_path, db)
    assert run(db, SCANS.format(table="t_p0")) == before
