"""What stops a migration, before it does harm: features it cannot carry, changed schemas, rights, differences."""

from pathlib import Path

import pytest

from partadvisor.io.migrate import apply, rollback, status
from partadvisor.io.plan_files import read_plan
from partadvisor.model.errors import CheckFailed, ServerError, UsageError
from tests.migration import make_plan, make_roles, rows_of, run

PLAIN = (
    "CREATE TABLE t (k int PRIMARY KEY, v text); INSERT INTO t SELECT i, 'v' FROM generate_series(1, 200) i; ANALYZE t;"
)

ROW_TRIGGER = """
CREATE TABLE t (k int PRIMARY KEY); CREATE FUNCTION g() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
CREATE TRIGGER x AFTER UPDATE ON t REFERENCING NEW TABLE AS n FOR EACH ROW EXECUTE FUNCTION g()
"""


@pytest.mark.parametrize(
    ("setup", "reason"),
    [
        ("CREATE TABLE t (k int, id int PRIMARY KEY)", 'primary key "t_pkey" does not contain key column "k"'),
        ("CREATE TABLE t (k int PRIMARY KEY, e text); CREATE UNIQUE INDEX u ON t (k, lower(e))", "on an expression"),
        ("CREATE TABLE t (k int PRIMARY KEY DEFERRABLE)", "deferrable"),
        ("CREATE TABLE t (k int)", "no unique key"),
        ("CREATE TABLE t (k int PRIMARY KEY); CREATE RULE r AS ON DELETE TO t DO INSTEAD NOTHING", "rule"),
        ("CREATE TABLE t (k int PRIMARY KEY); CREATE MATERIALIZED VIEW m AS SELECT * FROM t", "materialized view"),
        ("CREATE TABLE p (k int PRIMARY KEY); CREATE TABLE t (PRIMARY KEY (k)) INHERITS (p)", "inheritance"),
        ("CREATE UNLOGGED TABLE t (k int PRIMARY KEY)", "unlogged"),
        ("CREATE TABLE t (k int PRIMARY KEY); ALTER TABLE t ADD CHECK (k > 0) NOT VALID", "not valid"),
        ("CREATE TABLE t (k int PRIMARY KEY, CHECK (k > 0) NO INHERIT)", "NO INHERIT"),
        ("CREATE TABLE t (k int PRIMARY KEY); CREATE PUBLICATION p FOR TABLE t", "own names"),
        ("CREATE TABLE t (k int PRIMARY KEY); CREATE PUBLICATION p FOR ALL TABLES", "covers all tables"),
        ("CREATE TABLE t (k int PRIMARY KEY); CREATE TABLE t_p1 (x int)", 'relation "public.t_p1" exists'),
        (
            "CREATE TABLE t (k int PRIMARY KEY); CREATE FUNCTION f() RETURNS SETOF t LANGUAGE sql AS 'SELECT * FROM t'",
            "bound to the old table",
        ),
        (
            ROW_TRIGGER,
            "transition tables",
        ),
        ("CREATE EXTENSION btree_gist; CREATE TABLE t (k int PRIMARY KEY, EXCLUDE USING gist (k WITH =))", "exclusion"),
    ],
)
def test_refused_with_the_reason(db: str, tmp_path: Path, setup: str, reason: str) -> None:
    run(db, setup)
    with pytest.raises(UsageError) as error:
        make_plan(db, "public.t", "hash(k) into 2", tmp_path)
    assert reason in f"{error.value.message} {error.value.detail}"


def test_every_reason_is_listed(db: str, tmp_path: Path) -> None:
    run(db, "CREATE UNLOGGED TABLE t (k int, id int PRIMARY KEY); CREATE MATERIALIZED VIEW m AS SELECT * FROM t")
    with pytest.raises(UsageError) as error:
        make_plan(db, "public.t", "hash(k) into 2", tmp_path)
    assert len((error.value.detail or "").splitlines()) == 3


def test_unknown_table_offers_the_nearest(db: str, tmp_path: Path) -> None:
    run(db, "CREATE TABLE orders (k int PRIMARY KEY)")
    with pytest.raises(UsageError) as error:
        make_plan(db, "public.order", "hash(k) into 2", tmp_path)
    assert "public.orders" in (error.value.hint or "")


def test_objects_bound_to_the_table_itself_stop_it(db: str, tmp_path: Path) -> None:
    run(db, PLAIN + "CREATE TABLE other (k int); CREATE POLICY p ON other USING (k IN (SELECT k FROM t))")
    make_plan(db, "public.t", "hash(k) into 2", tmp_path)
    with pytest.raises(UsageError) as error:
        apply(tmp_path, db)
    assert "policy p on table public.other" in (error.value.detail or "")


def test_changed_schema_is_refused_before(db: str, tmp_path: Path) -> None:
    run(db, PLAIN)
    make_plan(db, "public.t", "hash(k) into 2", tmp_path)
    run(db, "ALTER TABLE t ADD extra int")
    with pytest.raises(UsageError, match="not the one the plan was made for"):
        apply(tmp_path, db)
    assert run(db, "SELECT to_regnamespace('partadvisor')::text") == [(None,)]


@pytest.mark.parametrize(
    "change", ["ALTER TABLE t ADD extra int", "CREATE VIEW late AS SELECT * FROM t", "GRANT SELECT ON t TO pa_app"]
)
@pytest.mark.parametrize("scheme", ["hash(k) into 2", "range(k) from 1000, hash(k) into 2"])
def test_schema_changed_in_the_middle_stops_the_swap(db: str, tmp_path: Path, change: str, scheme: str) -> None:
    make_roles(db)
    run(db, PLAIN)
    make_plan(db, "public.t", scheme, tmp_path)
    changed: list[str] = []

    def alter(progress: object) -> None:
        if getattr(progress, "step", "") == "swap" and not changed:
            run(db, change)
            changed.append("yes")

    with pytest.raises(ServerError) as error:
        apply(tmp_path, db, progress=alter)
    assert "has changed since" in (error.value.detail or "")
    assert rollback(tmp_path, db).state == "rolled_back"
    assert run(db, "SELECT count(*) FROM t") == [(200,)]


def test_a_difference_stops_it_before_the_swap(db: str, tmp_path: Path) -> None:
    run(db, PLAIN)
    plan = make_plan(db, "public.t", "hash(k) into 2", tmp_path)

    def damage(progress: object) -> None:
        if getattr(progress, "step", "") == "compare":
            run(db, f"UPDATE partadvisor_{plan.plan_id}_new.t SET v = 'other' WHERE k = 7")

    with pytest.raises(CheckFailed) as error:
        apply(tmp_path, db, progress=damage)
    assert error.value.detail == "different: (7)"
    assert error.value.exit_code == 1
    assert status(tmp_path, db).state == "running"
    rollback(tmp_path, db)
    assert run(db, "SELECT relkind::text FROM pg_class WHERE oid = 't'::regclass") == [("r",)]


def test_dry_run_changes_nothing(db: str, tmp_path: Path) -> None:
    run(db, PLAIN)
    plan = make_plan(db, "public.t", "hash(k) into 2", tmp_path)
    report = apply(tmp_path, db, dry_run=True)
    assert report.state == "not_started"
    assert report.steps_run == tuple(step.id for phase in plan.phases[:-1] for step in phase.steps)
    assert any("disk" in line for line in report.preflight)
    assert run(db, "SELECT to_regnamespace('partadvisor')::text") == [(None,)]


def test_owner_without_superuser_can_do_it(db: str, tmp_path: Path) -> None:
    make_roles(db)
    run(db, "GRANT CREATE ON DATABASE " + run(db, "SELECT quote_ident(current_database())")[0][0] + " TO pa_owner")
    run(
        db,
        "GRANT CREATE ON SCHEMA public TO pa_owner; SET ROLE pa_owner; "
        + PLAIN.replace("ANALYZE t;", "")
        + "GRANT SELECT ON t TO pa_reader; CREATE TABLE f (k int REFERENCES t); INSERT INTO f VALUES (1)",
    )
    owner = f"{db} user=pa_owner"
    before = rows_of(db, "t")
    make_plan(owner, "public.t", "hash(k) into 2", tmp_path)
    assert apply(tmp_path, owner).state == "swapped"
    run(owner, "INSERT INTO t VALUES (1000, 'late'); DELETE FROM t WHERE k = 2")
    assert rollback(tmp_path, owner).state == "rolled_back"
    assert (rows_of(db, "t") - before, before - rows_of(db, "t")) == ({"(1000,late)": 1}, {"(2,v)": 1})
    assert apply(tmp_path, owner, finish=True).state == "finished"
    assert run(db, "SELECT DISTINCT pg_get_userbyid(relowner)::text FROM pg_class WHERE relname ~ '^t(_p.)?$'") == [
        ("pa_owner",)
    ]


def test_missing_rights_are_named(db: str, tmp_path: Path) -> None:
    make_roles(db)
    run(db, PLAIN + "GRANT SELECT ON t TO pa_app")
    make_plan(db, "public.t", "hash(k) into 2", tmp_path)
    with pytest.raises(UsageError) as error:
        apply(tmp_path, f"{db} user=pa_app")
    assert "not the owner" in (error.value.detail or "")
    assert "GRANT CREATE ON DATABASE" in (error.value.detail or "")


def test_rollback_of_nothing_and_of_a_finished_one(db: str, tmp_path: Path) -> None:
    run(db, PLAIN)
    make_plan(db, "public.t", "hash(k) into 2", tmp_path)
    with pytest.raises(UsageError, match="has begun"):
        rollback(tmp_path, db)
    apply(tmp_path, db, finish=True)
    with pytest.raises(UsageError, match="finished"):
        rollback(tmp_path, db)
    assert status(tmp_path, db).state == "finished"


def test_truncate_while_it_is_mirrored(db: str, tmp_path: Path) -> None:
    run(db, PLAIN)
    make_plan(db, "public.t", "hash(k) into 2", tmp_path)

    def empty(progress: object) -> None:
        if getattr(progress, "step", "") == "analyze":
            run(db, "TRUNCATE t; INSERT INTO t VALUES (5, 'after')")

    apply(tmp_path, db, progress=empty)
    assert rows_of(db, "t") == {"(5,after)": 1}
    run(db, "TRUNCATE t; INSERT INTO t VALUES (6, 'again')")
    rollback(tmp_path, db)
    assert rows_of(db, "t") == {"(6,again)": 1}


def test_damaged_plan_files(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="could not read"):
        read_plan(tmp_path)
    (tmp_path / "plan.json").write_text('{"schema_version": 99}')
    with pytest.raises(UsageError, match="newer"):
        read_plan(tmp_path)
    (tmp_path / "plan.json").write_text('{"schema_version": 1, "table": 3')
    with pytest.raises(UsageError, match="not a migration plan"):
        read_plan(tmp_path)


def test_two_levels_with_extension_type_as_key(db: str, tmp_path: Path) -> None:
    run(db, "CREATE EXTENSION citext; CREATE TABLE t (at timestamptz, name citext, n int, PRIMARY KEY (name, at))")
    rows = "SELECT '2024-01-01'::timestamptz + i * interval '1 h', 'N' || i % 7, i FROM generate_series(1, 999) i"
    run(db, f"INSERT INTO t {rows}")
    run(db, "ANALYZE t")
    before = rows_of(db, "t")
    make_plan(db, "public.t", "range(at) by week, hash(name) into 2", tmp_path)
    apply(tmp_path, db)
    run(db, "UPDATE t SET n = -1 WHERE name = 'n3' AND n = 3; INSERT INTO t VALUES ('2099-01-01', 'far', 0)")
    assert run(db, "SELECT tableoid::regclass::text FROM t WHERE name = 'FAR'")[0][0].startswith("t_default")
    rollback(tmp_path, db)
    assert sum((rows_of(db, "t") - before).values()) == 2
