"""plan, apply, status and rollback as commands: exit codes, clear errors, nothing lost whatever happens half-way."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import psycopg
import pytest

from partadvisor.io.binaries import find_binaries
from partadvisor.io.server import Server, start_server
from tests.migration import rows_of, run

SETUP = """
CREATE TABLE "Order lines" ("W id" int, id bigint GENERATED ALWAYS AS IDENTITY, pad text, PRIMARY KEY ("W id", id));
INSERT INTO "Order lines" ("W id", pad) SELECT 1 + i % 20, repeat('x', 50) FROM generate_series(1, {rows}) i; ANALYZE;
"""
TABLE = '"Order lines"'


def command(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [sys.executable, "-m", "partadvisor", *arguments],
        capture_output=True,
        text=True,
        env={**os.environ, **environment},
        check=False,
        timeout=120,
    )
    assert "Traceback" not in done.stderr + done.stdout
    return done


def started(*arguments: str) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-m", "partadvisor", *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def planned(dsn: str, directory: Path, rows: int = 2000) -> str:
    """Makes the table, collects and plans; gives the plan's directory."""
    run(dsn, SETUP.format(rows=rows))
    snapshot, plan = str(directory / "snapshot.json"), str(directory / "plan")
    done = command("collect", dsn, "--duration", "0", "-o", snapshot)
    assert done.returncode == 0, done.stderr
    key = 'hash("W id") into 4'
    done = command("plan", snapshot, "--table", "Order lines", "--key", key, "--strategy", "copy", "-o", plan)
    assert done.returncode == 0, done.stderr
    assert 'public.Order lines to hash("W id") into 4' in done.stdout
    return plan


def wait_until(dsn: str, step: str) -> None:
    """Until the journal has that step, in whatever state."""
    end = time.monotonic() + 30
    while time.monotonic() < end:
        if run(dsn, "SELECT to_regclass('partadvisor.journal') IS NOT NULL") == [(True,)] and run(
            dsn, f"SELECT 1 FROM partadvisor.journal WHERE step = '{step}'"
        ):
            return
        time.sleep(0.02)
    raise AssertionError(f"step {step} did not begin")


def test_the_whole_way_and_back(db: str, tmp_path: Path) -> None:
    plan = planned(db, tmp_path)
    before = rows_of(db, TABLE)
    names = sorted(path.name for path in Path(plan).iterdir())
    assert {"README.md", "plan.json", "01-prepare-schemas.sql"} <= set(names)
    readme = (Path(plan) / "README.md").read_text()
    assert "never to a partition by its own name" in readme

    dry = command("apply", plan, db, "--dry-run")
    assert dry.returncode == 0
    assert [line.strip() for line in dry.stdout.splitlines()[1:4]] == ["schemas", "table", "sync"]
    assert "drop" not in dry.stdout
    assert run(db, "SELECT to_regnamespace('partadvisor')::text") == [(None,)]
    assert "not started" in command("status", plan, db).stdout

    done = command("apply", plan, db)
    assert done.returncode == 0
    assert "swapped" in done.stdout
    assert "2,000 rows copied" in done.stdout
    assert rows_of(db, TABLE) == before
    now = json.loads(command("status", plan, db, "--format", "json").stdout)
    assert (now["state"], now["phase"], now["running"]) == ("swapped", "finish", False)

    run(db, f"INSERT INTO {TABLE} (\"W id\", pad) VALUES (3, 'late'); DELETE FROM {TABLE} WHERE id = 7")
    after = rows_of(db, TABLE)
    back = command("rollback", plan, db)
    assert back.returncode == 0
    assert "rolled back" in back.stdout
    assert rows_of(db, TABLE) == after
    assert "not started" in command("status", plan, db).stdout

    assert command("apply", plan, db, "--finish").returncode == 0
    assert rows_of(db, TABLE) == after
    assert "finished" in command("status", plan, db).stdout
    assert "finished" in command("apply", plan, db).stdout
    refused = command("rollback", plan, db)
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "is finished" in refused.stderr


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_stopped_in_the_middle_of_the_fill(db: str, tmp_path: Path, number: signal.Signals) -> None:
    plan = planned(db, tmp_path, rows=60_000)
    before = rows_of(db, TABLE)
    process = started("apply", plan, db, "--pause", "5")
    wait_until(db, "fill")
    process.send_signal(number)
    _, said = process.communicate(timeout=20)
    assert process.returncode == 4
    assert "what was done is kept" in said
    assert "Traceback" not in said
    assert rows_of(db, TABLE) == before
    assert "running" in command("status", plan, db).stdout
    assert command("apply", plan, db, "--pause", "0").returncode == 0
    assert rows_of(db, TABLE) == before


def test_a_second_run_is_refused(db: str, tmp_path: Path) -> None:
    plan = planned(db, tmp_path, rows=60_000)
    process = started("apply", plan, db, "--pause", "100")
    wait_until(db, "fill")
    assert "a run is at work" in command("status", plan, db).stdout
    second = command("apply", plan, db)
    assert second.returncode == 2
    assert 'another run is migrating table "public.Order lines"' in second.stderr
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=20)
    assert process.returncode == 4


def test_server_gone_in_the_middle(tmp_path: Path) -> None:
    with start_server(find_binaries()) as server:
        dsn = server.dsn()
        plan = planned(dsn, tmp_path, rows=60_000)
        process = started("apply", plan, dsn, "--pause", "5")
        wait_until(dsn, "fill")
        server.kill()
        _, said = process.communicate(timeout=30)
        assert process.returncode == 3
        assert "the server closed the connection" in said
        assert "Traceback" not in said
        unreachable = command("apply", plan, dsn)
        assert unreachable.returncode == 3
        assert "unreachable" in unreachable.stderr
        server.restart()
        assert command("apply", plan, dsn, "--pause", "0").returncode == 0
        assert sum(rows_of(dsn, TABLE).values()) == 60_000


def damaged(plan: Path, **changed: object) -> None:
    content = json.loads((plan / "plan.json").read_text())
    (plan / "plan.json").write_text(json.dumps({**content, **changed}))


@pytest.mark.parametrize("name", ["apply", "rollback", "status"])
def test_what_is_not_a_plan(db: str, tmp_path: Path, name: str) -> None:
    for content, said in [
        (None, "could not read"),
        ("", "is not a migration plan"),
        ("[1, 2]", "is not a migration plan"),
        ('{"schema_version": 1, "table": "public.t"', "is not a migration plan"),
        ('{"schema_version": 1, "table": "public.t"}', "is not a migration plan"),
        ('{"schema_version": 99}', "newer partadvisor"),
        ("\xff\x00", "is not a migration plan"),
    ]:
        if content is not None:
            (tmp_path / "plan.json").write_bytes(content.encode("latin-1"))
        done = command(name, str(tmp_path), db)
        assert (done.returncode, done.stdout) == (2, "")
        assert said in done.stderr.splitlines()[0]


def test_plan_that_does_not_fit(db: str, server: Server, tmp_path: Path) -> None:
    plan = planned(db, tmp_path)
    other = command("apply", plan, server.dsn())
    assert other.returncode == 2
    assert 'table "public.Order lines" does not exist in database "postgres"' in other.stderr
    run(db, f"ALTER TABLE {TABLE} ADD extra int")
    changed = command("apply", plan, db)
    assert changed.returncode == 2
    assert "is not the one the plan was made for" in changed.stderr
    damaged(Path(plan), server_version=140003)
    version = command("apply", plan, db)
    assert version.returncode == 2
    assert "the plan is for PostgreSQL 14" in version.stderr
    assert run(db, "SELECT to_regnamespace('partadvisor')::text") == [(None,)]


@pytest.mark.parametrize("name", ["apply", "rollback", "status"])
def test_no_password_is_shown(tmp_path: Path, db: str, name: str) -> None:
    plan = planned(db, tmp_path, rows=10)
    for dsn in (
        "postgresql://nobody:s3cret@127.0.0.1:1/shop",
        "host=127.0.0.1 port=1 user=nobody password=s3cret dbname=shop",
        "host=127.0.0.1 port=1 user=nobody password=s3cret bogus=1",
    ):
        done = command(name, plan, dsn)
        assert done.returncode in {2, 3}
        assert "s3cret" not in done.stderr + done.stdout
        assert "s3cret" not in command(name, dsn, plan).stderr


def test_wrong_password(server: Server, db: str, tmp_path: Path) -> None:
    plan = planned(db, tmp_path, rows=10)
    run(db, "DO $$ BEGIN CREATE ROLE pa_secret LOGIN PASSWORD 'right'; EXCEPTION WHEN duplicate_object THEN END $$")
    hba = Path(run(db, "SHOW hba_file")[0][0])
    kept = hba.read_text()
    try:
        hba.write_text("local all pa_secret scram-sha-256\nhost all pa_secret all scram-sha-256\n" + kept)
        run(db, "SELECT pg_reload_conf()")
        time.sleep(0.5)
        done = command("apply", plan, f"{db} user=pa_secret password=wr0ng")
    finally:
        hba.write_text(kept)
        run(db, "SELECT pg_reload_conf()")
    assert done.returncode == 3
    assert "refused the password" in done.stderr
    assert "wr0ng" not in done.stderr


def test_plan_refuses_with_a_reason(db: str, tmp_path: Path) -> None:
    run(db, "CREATE TABLE orders (id int PRIMARY KEY, w int); CREATE TABLE other (id int); ANALYZE")
    snapshot = str(tmp_path / "snapshot.json")
    command("collect", db, "--duration", "0", "-o", snapshot)

    def plan(*arguments: str) -> str:
        done = command("plan", snapshot, "-o", str(tmp_path / "plan"), *arguments)
        assert done.returncode == 2, done.stderr
        assert not (tmp_path / "plan").exists()
        return done.stderr

    assert "does not contain key column" in plan("--table", "orders", "--key", "hash(w) into 4")
    assert 'column "nope"' in plan("--table", "orders", "--key", "hash(nope) into 4")
    assert "public.orders" in plan("--table", "public.order", "--key", "hash(id) into 4")
    assert "public.orders" in plan("--table", "public.order")
    assert "no unique key" in plan("--table", "other", "--key", "hash(id) into 4", "--strategy", "copy")
    assert "exclude each other" in plan("--table", "orders", "--key", "hash(id) into 4", "--candidate", "1")
    plan("--table", "orders", "--key", "gibberish")
    plan("--table", "orders", "--candidate", "99")
    assert command("plan", snapshot, "--table", "orders", "-o", str(tmp_path / "plan")).returncode in {0, 1}


def test_no_file_is_overwritten(db: str, tmp_path: Path) -> None:
    plan = planned(db, tmp_path)
    snapshot = str(tmp_path / "snapshot.json")
    same = (
        "plan",
        snapshot,
        "--table",
        "Order lines",
        "--key",
        'hash("W id") into 4',
        "--strategy",
        "copy",
        "-o",
        plan,
    )
    again = command(*same)
    assert again.returncode == 0
    other = command("plan", snapshot, "--table", "Order lines", "--key", 'hash("W id") into 8', "-o", plan)
    assert other.returncode == 2
    assert "holds another plan" in other.stderr
    (Path(plan) / "mine.txt").write_text("keep")
    full = command(*same)
    assert full.returncode == 2
    assert "is not empty" in full.stderr
    assert (Path(plan) / "mine.txt").read_text() == "keep"
    assert "into 4" in (Path(plan) / "plan.json").read_text()


def test_two_plans_for_one_table(db: str, tmp_path: Path) -> None:
    first = planned(db, tmp_path)
    second = str(tmp_path / "second")
    command(
        "plan", str(tmp_path / "snapshot.json"), "--table", "Order lines", "--key", 'range("W id") by 10', "-o", second
    )
    process = started("apply", first, db, "--give-up-after", "1")
    with psycopg.connect(db) as holder:
        holder.execute(f"UPDATE {TABLE} SET pad = pad WHERE id = 1")  # keeps the triggers from being made
        wait_until(db, "rehearse")
        _, said = process.communicate(timeout=30)
    assert process.returncode == 3
    assert re.search(r"process \d+ \(postgres\) idle in transaction", said)
    refused = command("apply", second, db)
    assert refused.returncode == 2
    assert "another plan is migrating table" in refused.stderr
    assert command("rollback", first, db).returncode == 0
    assert command("apply", second, db, "--finish").returncode == 0


def test_stopped_between_the_last_two_steps(db: str, tmp_path: Path) -> None:
    plan = planned(db, tmp_path)
    before = rows_of(db, TABLE)
    assert command("apply", plan, db).returncode == 0
    plan_id = json.loads((Path(plan) / "plan.json").read_text())["plan_id"]
    with psycopg.connect(db) as holder:
        holder.execute(f'SELECT 1 FROM partadvisor_{plan_id}_old."Order lines" LIMIT 1')  # keeps it from being dropped
        process = started("apply", plan, db, "--finish")
        wait_until(db, "unmirror")
        time.sleep(0.5)
        process.kill()
        process.communicate(timeout=20)
    now = command("status", plan, db).stdout
    assert "finishing" in now
    assert "finish, drop" in now
    refused = command("rollback", plan, db)
    assert refused.returncode == 2
    assert "point of no return" in refused.stderr
    run(db, f"INSERT INTO {TABLE} (\"W id\", pad) VALUES (3, 'late')")
    assert "finishing" in command("apply", plan, db).stdout
    assert command("apply", plan, db, "--finish").returncode == 0
    assert sum((rows_of(db, TABLE) - before).values()) == 1
    assert run(db, "SELECT nspname FROM pg_namespace WHERE nspname LIKE 'partadvisor_%'") == []
