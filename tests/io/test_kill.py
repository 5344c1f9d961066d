"""A runner that is killed at any moment, and a server that crashes: applying again, or rolling back, ends right."""

import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from partadvisor.io.binaries import find_binaries
from partadvisor.io.migrate import ApplyOptions, apply, rollback, status
from partadvisor.io.server import start_server
from partadvisor.model.errors import ServerError, Stopped, UsageError
from tests.io.live import LOST, SETUP, Writers
from tests.migration import make_plan, run

APPLY = (
    "import sys; from pathlib import Path; from partadvisor.io.migrate import ApplyOptions, apply;"
    "apply(Path(sys.argv[1]), sys.argv[2], options=ApplyOptions(pause=0.2, max_slowdown=None))"
)


def runner(directory: Path, dsn: str) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(
        [sys.executable, "-c", APPLY, str(directory), dsn], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )


def kill_at_random(directory: Path, dsn: str, rng: random.Random) -> None:
    process = runner(directory, dsn)
    time.sleep(0.3 + rng.random() * 2.5)
    process.send_signal(signal.SIGKILL)
    process.wait()


def assert_all_there(dsn: str) -> None:
    assert run(dsn, LOST) == [(0, 0, 0)]
    assert run(dsn, "SELECT count(*) - count(DISTINCT (w, id)) FROM item") == [(0,)]


@pytest.mark.parametrize("kills", [3, pytest.param(25, marks=pytest.mark.long)])
def test_killed_runner_can_go_on(db: str, tmp_path: Path, kills: int) -> None:
    rng = random.Random(kills)
    run(db, SETUP.format(rows=30_000))
    make_plan(db, "public.item", "hash(w) into 4", tmp_path)
    with Writers(db, 4) as writers:
        for _ in range(kills):
            kill_at_random(tmp_path, db, rng)
        assert apply(tmp_path, db, options=ApplyOptions(pause=0, max_slowdown=None)).state == "swapped"
    assert writers.errors == []
    assert_all_there(db)
    assert apply(tmp_path, db, finish=True).state == "finished"
    assert_all_there(db)


@pytest.mark.parametrize("kills", [1, pytest.param(12, marks=pytest.mark.long)])
def test_killed_runner_can_be_rolled_back(db: str, tmp_path: Path, kills: int) -> None:
    rng = random.Random(100 + kills)
    run(db, SETUP.format(rows=30_000))
    make_plan(db, "public.item", "hash(w) into 4", tmp_path)
    with Writers(db, 4) as writers:
        for _ in range(kills):
            kill_at_random(tmp_path, db, rng)
            if status(tmp_path, db).state != "not_started":
                assert rollback(tmp_path, db).state == "rolled_back"
    assert writers.errors == []
    assert_all_there(db)
    assert run(db, "SELECT relkind::text FROM pg_class WHERE oid = 'item'::regclass") == [("r",)]
    assert run(db, "SELECT nspname FROM pg_namespace WHERE nspname LIKE 'partadvisor%'") == []


@pytest.mark.long
def test_crashed_server(tmp_path: Path) -> None:
    rng = random.Random(7)
    with start_server(find_binaries()) as server:
        dsn = server.dsn()
        run(dsn, SETUP.format(rows=30_000))
        make_plan(dsn, "public.item", "hash(w) into 4", tmp_path)
        for _ in range(10):
            process = runner(tmp_path, dsn)
            time.sleep(0.3 + rng.random() * 2)
            server.kill()
            assert process.wait(30) in {0, 1}
            server.restart()
            run(
                dsn,
                "WITH n AS (INSERT INTO item (w) VALUES (3) RETURNING w, id) INSERT INTO ledger SELECT w, id, 0 FROM n",
            )
        assert apply(tmp_path, dsn).state == "swapped"
        assert_all_there(dsn)


def test_server_gone_is_an_error_with_the_state_kept(tmp_path: Path) -> None:
    with start_server(find_binaries()) as server:
        dsn = server.dsn()
        run(dsn, SETUP.format(rows=5_000))
        make_plan(dsn, "public.item", "hash(w) into 4", tmp_path)

        def crash(progress: object) -> None:
            if getattr(progress, "step", "") == "reconcile":
                server.kill()

        with pytest.raises(ServerError) as error:
            apply(tmp_path, dsn, progress=crash)
        assert error.value.exit_code == 3
        server.restart()
        assert apply(tmp_path, dsn).state == "swapped"
        assert_all_there(dsn)


def test_stop_request_keeps_the_state(db: str, tmp_path: Path) -> None:
    run(db, SETUP.format(rows=5_000))
    make_plan(db, "public.item", "hash(w) into 4", tmp_path)
    steps: list[str] = []
    with pytest.raises(Stopped) as error:
        apply(tmp_path, db, progress=lambda p: steps.append(p.step), stop=lambda: "fill" in steps)
    assert error.value.exit_code == 4
    assert status(tmp_path, db).state == "running"
    assert apply(tmp_path, db).state == "swapped"
    assert_all_there(db)


def test_two_runs_at_once_are_refused(db: str, tmp_path: Path) -> None:
    run(db, SETUP.format(rows=5_000))
    make_plan(db, "public.item", "hash(w) into 4", tmp_path)
    refused: list[str] = []

    def second(progress: object) -> None:
        if getattr(progress, "step", "") == "analyze" and not refused:
            with pytest.raises(UsageError, match="another run"):
                apply(tmp_path, db, options=ApplyOptions(busy_wait_s=0))
            refused.append("yes")

    apply(tmp_path, db, progress=second)
    assert refused == ["yes"]
