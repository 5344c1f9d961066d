"""Migrations under live writers: nothing lost, nothing twice, no client error, no long stall."""

import threading
import time
from pathlib import Path

import psycopg
import pytest

from partadvisor.io.migrate import ApplyOptions, Progress, apply, rollback, status
from tests.io.live import LOST, SETUP, Writers
from tests.migration import make_plan, run

ROWS = 20_000


@pytest.mark.parametrize("isolation", ["read committed", "repeatable read"])
def test_nothing_is_lost(db: str, tmp_path: Path, isolation: str) -> None:
    run(db, SETUP.format(rows=ROWS))
    make_plan(db, "public.item", "hash(w) into 4", tmp_path)
    with Writers(db, 16, isolation) as writers:
        time.sleep(0.3)
        report = apply(tmp_path, db, options=ApplyOptions(pause=0.1, max_slowdown=None))
        assert report.state == "swapped"
        time.sleep(0.5)
        apply(tmp_path, db, finish=True)
        time.sleep(0.3)
    assert writers.errors == []
    assert writers.done > 100
    assert run(db, LOST) == [(0, 0, 0)]
    assert run(db, "SELECT count(*) - count(DISTINCT (w, id)) FROM item") == [(0,)]
    assert run(db, "SELECT count(*) FROM part p LEFT JOIN item USING (w, id) WHERE item.id IS NULL") == [(0,)]
    print(f"longest client wait {writers.longest * 1000:.0f} ms, block {report.longest_block_ms:.0f} ms")
    assert writers.longest < 3.0


def test_rollback_after_the_swap_keeps_all(db: str, tmp_path: Path) -> None:
    run(db, SETUP.format(rows=ROWS))
    make_plan(db, "public.item", "hash(w) into 4", tmp_path)
    with Writers(db, 16) as writers:
        apply(tmp_path, db, options=ApplyOptions(pause=0, max_slowdown=None))
        time.sleep(0.7)
        assert rollback(tmp_path, db).state == "rolled_back"
        time.sleep(0.2)
    assert writers.errors == []
    assert run(db, LOST) == [(0, 0, 0)]
    assert run(db, "SELECT relkind::text FROM pg_class WHERE oid = 'item'::regclass") == [("r",)]


def test_swap_waits_for_a_blocker_and_names_it(db: str, tmp_path: Path) -> None:
    run(db, SETUP.format(rows=200))
    make_plan(db, "public.item", "hash(w) into 4", tmp_path)
    said: list[Progress] = []
    release = threading.Event()

    def listen(progress: Progress) -> None:
        said.append(progress)
        if progress.message and progress.step == "triggers" and len(said) > 4:
            release.set()

    with psycopg.connect(db, application_name="lazybones") as holder, Writers(db, 4) as writers:
        holder.execute("UPDATE item SET version = version WHERE id = 1")
        runner = threading.Thread(target=lambda: apply(tmp_path, db, progress=listen))
        runner.start()
        time.sleep(3)
        assert runner.is_alive()
        holder.rollback()
        runner.join(30)
        assert not runner.is_alive()
    assert status(tmp_path, db).state == "swapped"
    assert writers.errors == []
    assert any("lazybones" in (progress.message or "") for progress in said)
    assert writers.longest < 1.5
    assert run(db, LOST) == [(0, 0, 0)]
