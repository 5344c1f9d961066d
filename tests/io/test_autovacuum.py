"""Autovacuum at work on every table of a migration: it gives way, and no client waits for that."""

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from partadvisor.io.binaries import find_binaries
from partadvisor.io.migrate import ApplyOptions, Progress, apply, rollback
from partadvisor.io.server import start_server
from tests.io.live import LOST, SETUP, Writers
from tests.migration import make_plan, run

SLOW = (
    "autovacuum_vacuum_cost_delay = 100, autovacuum_vacuum_cost_limit = 1, autovacuum_vacuum_threshold = 1, "
    "autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_insert_threshold = 1, "
    "autovacuum_vacuum_insert_scale_factor = 0, autovacuum_analyze_threshold = 1000000000"
)
AT_WORK = """
SELECT string_agg(DISTINCT c.relname, ' ') FROM pg_stat_progress_vacuum v JOIN pg_class c ON c.oid = v.relid
JOIN pg_stat_activity a ON a.pid = v.pid AND a.backend_type = 'autovacuum worker'
WHERE v.datname = current_database() AND c.relname ~ '{}'
"""

WHERE = {"triggers": "^item$", "swap": "^item_p", "validate_1": "^item_p", "unmirror": "^item_p"}
"""Steps that need strong locks, and the tables that autovacuum is to be at work on when they ask for them."""


@pytest.fixture(scope="module")
def eager() -> Iterator[str]:
    """A server that vacuums as soon as there is anything to do, and takes long over it."""
    settings = {"autovacuum_naptime": "1s", "autovacuum_max_workers": "8", "fsync": "off"}
    with start_server(find_binaries(), settings=settings) as server:
        yield server.dsn()


def wait_for_autovacuum(dsn: str, pattern: str) -> bool:
    """Whether autovacuum got to a table of such a name within some seconds."""
    end = time.monotonic() + 8
    while time.monotonic() < end:
        if run(dsn, AT_WORK.format(pattern))[0][0]:
            return True
        time.sleep(0.1)
    return False


@pytest.mark.parametrize("back", [False, pytest.param(True, marks=pytest.mark.long)])
def test_autovacuum_gives_way(eager: str, tmp_path: Path, back: bool) -> None:
    name = f"busy_{back}".lower()
    run(eager, f"CREATE DATABASE {name}")
    dsn = f"{eager} dbname={name}"
    run(dsn, SETUP.format(rows=20_000))
    run(
        dsn, f"ALTER TABLE item SET ({SLOW}); ALTER TABLE part SET ({SLOW}); INSERT INTO part SELECT w, id, 0 FROM item"
    )
    run(dsn, f"ALTER TABLE place SET ({SLOW}); UPDATE place SET name = 'x'; UPDATE item SET pad = 'y'")
    make_plan(dsn, "public.item", "hash(w) into 4", tmp_path)
    seen: dict[str, bool] = {}
    waited: dict[str, float] = {}

    def listen(progress: Progress) -> None:
        """Before the steps that need strong locks: wait until autovacuum is in the way."""
        if progress.step in WHERE and progress.step not in seen:
            began = time.monotonic()
            seen[progress.step] = wait_for_autovacuum(dsn, WHERE[progress.step])
            waited[progress.step] = time.monotonic() - began

    options = ApplyOptions(pause=0, max_slowdown=None, give_up_after_s=20)
    with Writers(dsn, 3) as writers:
        began = time.monotonic()
        apply(tmp_path, dsn, progress=listen, options=options)
        if back:
            seen["back"] = wait_for_autovacuum(dsn, "^item_p")
            rollback(tmp_path, dsn, options=options)
        else:
            apply(tmp_path, dsn, finish=True, progress=listen, options=options)
        spent = time.monotonic() - began - sum(waited.values())
    print(
        f"apply took {spent:.1f} s beside waiting for autovacuum to begin; longest client wait {writers.longest:.2f} s"
    )
    assert seen
    assert all(seen.values()), seen
    assert writers.errors == []
    assert writers.longest < 1.5
    assert run(dsn, LOST) == [(0, 0, 0)]
    assert spent < 25
