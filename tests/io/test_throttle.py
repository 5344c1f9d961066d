"""A fill gives way to subscribers, to a limit of WAL, to clients; and what is wrong is told before it begins."""

import time
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
import psycopg
import pytest

from partadvisor.io.binaries import find_binaries
from partadvisor.io.migrate import ApplyOptions, Progress, apply
from partadvisor.io.migrate.foreground import Foreground
from partadvisor.io.migrate.progress import never
from partadvisor.io.migrate.throttle import next_pause
from partadvisor.io.migrate.worker import Worker
from partadvisor.io.server import Server, start_server
from partadvisor.model.errors import UsageError
from tests.migration import make_plan, run

ROWS = (
    "CREATE TABLE t (k int PRIMARY KEY, v text); INSERT INTO t SELECT i, repeat('v', 50) FROM generate_series(1, {}) i;"
    "ANALYZE t; CREATE TABLE beat (n int PRIMARY KEY);"
)
_TIGHT = {
    "wal_level": "logical", "max_connections": "20", "max_locks_per_transaction": "10", "fsync": "off",
    "archive_mode": "on", "archive_command": "false",
}  # fmt: skip


@pytest.fixture(scope="module")
def tight() -> Iterator[Server]:
    """A server with little room that publishes, and whose archive is broken."""
    with start_server(find_binaries(), settings=_TIGHT) as server:
        yield server


def test_it_waits_for_a_subscriber(
    tight: Server, server: Server, make_db: Callable[[Server], str], tmp_path: Path
) -> None:
    here, there = make_db(tight), make_db(server)
    run(here, ROWS.format(30_000) + "CREATE PUBLICATION beats FOR TABLE beat")
    run(there, "CREATE TABLE beat (n int PRIMARY KEY)")
    run(there, f"CREATE SUBSCRIPTION laggard CONNECTION '{here.replace(chr(39), chr(39) * 2)}' PUBLICATION beats")
    make_plan(here, "public.t", "hash(k) into 2", tmp_path, "copy")
    while run(here, "SELECT count(*) FROM pg_stat_replication WHERE replay_lsn IS NOT NULL") == [(0,)]:
        time.sleep(0.1)
    said: list[str] = []
    try:
        with psycopg.connect(there) as holder:
            holder.execute("LOCK TABLE beat")
            run(here, "INSERT INTO beat VALUES (1)")

            def listen(progress: Progress) -> None:
                if "behind" in (progress.message or ""):
                    said.append(progress.message or "")
                    holder.rollback()

            options = ApplyOptions(pause=1, max_lag_s=0.3, second_comparison=False)
            assert apply(tmp_path, here, progress=listen, options=options).state == "swapped"
    finally:
        run(there, "ALTER SUBSCRIPTION laggard DISABLE")
        run(there, "ALTER SUBSCRIPTION laggard SET (slot_name = NONE)")
        run(there, "DROP SUBSCRIPTION laggard")
    assert 'waiting: standby "laggard"' in said[0]
    assert "the limit is 0.3 s" in said[0]


def test_it_writes_no_more_wal_than_allowed(db: str, tmp_path: Path) -> None:
    run(db, ROWS.format(20_000))
    make_plan(db, "public.t", "hash(k) into 2", tmp_path, "copy")
    said: list[Progress] = []
    options = ApplyOptions(pause=0, max_wal_bytes_per_s=1e6, second_comparison=False)
    assert apply(tmp_path, db, progress=said.append, options=options).state == "swapped"
    waited = [progress for progress in said if "more than 1 MB/s" in (progress.message or "")]
    assert waited
    assert waited[0].rows_expected == 20_000
    assert waited[-1].seconds_left is not None
    assert {progress.step for progress in waited} <= {"fill", "compare"}


@pytest.mark.parametrize("source", ["pg_stat_statements", "pg_stat_database"])
def test_clients_that_get_slower_are_noticed(db: str, source: str) -> None:
    if source == "pg_stat_statements":
        run(db, "CREATE EXTENSION pg_stat_statements")

    def clients(seconds: float) -> None:
        for _ in range(2):  # their counters are told to the database when they leave
            with psycopg.connect(db, autocommit=True) as connection:
                for _ in range(15):
                    connection.execute(f"SELECT pg_sleep({seconds})".encode())

    with Worker(db, never) as worker:
        foreground = Foreground(worker)
        assert foreground.source == source
        foreground.mark()
        clients(0.003)
        foreground.rested()
        assert foreground.slowdown((0, 0.0)) is None  # nobody is there
        clients(0.03)
        found = foreground.slowdown((0, 0.0))
    assert found is not None
    assert found > 2


def test_the_pause_follows_clients() -> None:
    assert next_pause(1.0, None, 1.3, 0.0) == 0.0
    assert next_pause(1.0, 1.5, 1.3, 0.0) == 2.0
    assert next_pause(0.0, 1.5, 1.3, 0.0) == 1.0
    assert next_pause(1.0, 1.29, 1.3, 0.0) == 1.0
    assert next_pause(1.0, 1.0, 1.3, 0.0) == 0.6
    assert next_pause(1.0, 1.0, 1.3, 0.9) == 0.9
    assert next_pause(29.0, 9.0, 1.3, 0.0) == 30.0


def test_a_full_lock_table_is_refused(tight: Server, make_db: Callable[[Server], str], tmp_path: Path) -> None:
    dsn = make_db(tight)
    run(dsn, ROWS.format(100) + "CREATE INDEX ON t (v)")
    make_plan(dsn, "public.t", "hash(k) into 64", tmp_path, "copy")
    with pytest.raises(UsageError, match="lock table is too small") as error:
        apply(tmp_path, dsn)
    assert "max_locks_per_transaction" in (error.value.hint or "")


def test_a_full_disk_is_refused(db: str, tmp_path: Path) -> None:
    run(db, ROWS.format(100))
    make_plan(db, "public.t", "hash(k) into 2", tmp_path, "copy")
    plan = msgspec.json.decode((tmp_path / "plan.json").read_bytes())
    (tmp_path / "plan.json").write_bytes(msgspec.json.encode({**plan, "disk_bytes_needed": 10**18}))
    with pytest.raises(UsageError, match="disk is too small") as error:
        apply(tmp_path, db, dry_run=True)
    assert "are free in" in (error.value.detail or "")


def test_what_holds_wal_back_is_told(tight: Server, make_db: Callable[[Server], str], tmp_path: Path) -> None:
    dsn = make_db(tight)
    run(dsn, ROWS.format(100))
    run(dsn, "SELECT pg_create_physical_replication_slot('forgotten', true)")
    run(dsn, "SELECT pg_switch_wal()")
    end = time.monotonic() + 20
    while time.monotonic() < end and run(dsn, "SELECT failed_count FROM pg_stat_archiver") == [(0,)]:
        time.sleep(0.1)
    make_plan(dsn, "public.t", "hash(k) into 2", tmp_path, "copy")
    notes = "\n".join(apply(tmp_path, dsn, dry_run=True).preflight)
    run(dsn, "SELECT pg_drop_replication_slot('forgotten')")
    assert 'nobody reads replication slot "forgotten"' in notes
    assert "archiving WAL fails" in notes
    assert "MB are free" in notes
