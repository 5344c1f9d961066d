"""The demonstration: its ledger can fail, its load is measured, and a whole run of each regime ends as it should."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from partadvisor.io.binaries import find_binaries
from partadvisor.io.demo.regimes import REGIMES
from partadvisor.io.demo.shop import DATABASE, Shop
from partadvisor.model.errors import CheckFailed

ONE_ORDER = "ol_w_id = 1 AND ol_d_id = 1 AND ol_o_id = 1"


@pytest.fixture(scope="module")
def shop() -> Iterator[Shop]:
    with Shop(find_binaries(), REGIMES["cpu"]) as started:
        started.load_schema()
        yield started


def test_the_ledger_of_an_untouched_shop_is_clean(shop: Shop) -> None:
    ledger = shop.ledger()
    assert (ledger.orders, ledger.lines) == (50 * 10 * 40, 50 * 10 * 40 * 20)
    assert (ledger.lost, ledger.duplicated) == (0, 0)


@pytest.mark.parametrize(
    ("change", "undo", "lost", "duplicated"),
    [
        ("DELETE FROM order_line WHERE {o} AND ol_number > 18", "INSERT INTO order_line {kept}", 2, 0),
        (
            "INSERT INTO order_line VALUES (1, 1, 1, 21, 1, 1, 10, NULL, '')",
            "DELETE FROM order_line WHERE {o} AND ol_number = 21",
            0,
            1,
        ),
        (
            "UPDATE order_line SET ol_amount = 11 WHERE {o} AND ol_number = 1",
            "UPDATE order_line SET ol_amount = 10 WHERE {o} AND ol_number = 1",
            1,
            1,
        ),
    ],
)
def test_the_ledger_sees_every_difference(shop: Shop, change: str, undo: str, lost: int, duplicated: int) -> None:
    kept = "SELECT w, d, o, l, l, 1, 10.00, NULL, repeat('x', 20) FROM (VALUES (1, 1, 1, 19), (1, 1, 1, 20)) v(w,d,o,l)"
    shop.server.execute(change.format(o=ONE_ORDER), DATABASE)
    try:
        ledger = shop.ledger()
        assert (ledger.lost, ledger.duplicated) == (lost, duplicated)
    finally:
        shop.server.execute(undo.format(o=ONE_ORDER, kept=kept), DATABASE)
    assert (shop.ledger().lost, shop.ledger().duplicated) == (0, 0)


def test_the_load_is_measured_and_keeps_the_ledger_clean(shop: Shop, tmp_path: Path) -> None:
    with shop.clients(tmp_path, 8) as load:
        start = time.time()
        time.sleep(2)
        load.check()
    seen = load.latencies(start, time.time())
    ledger = shop.ledger()
    assert seen.tps > 1
    assert 0 < seen.p50 <= seen.p95 <= seen.p99 <= seen.longest
    assert ledger.orders > 50 * 10 * 40
    assert (ledger.lost, ledger.duplicated) == (0, 0)


def test_a_failed_client_is_an_error_with_its_words(shop: Shop, tmp_path: Path) -> None:
    broken = shop.clients(tmp_path, 1)
    (tmp_path / "clients.pgbench").write_text("SELECT no_such_column;\n")
    with broken as load:
        time.sleep(1)
        with pytest.raises(CheckFailed) as caught:
            load.check()
    assert "no_such_column" in str(caught.value.detail)


def demo(folder: Path, *options: str) -> dict[str, Any]:
    report = folder / "report.json"
    command = [
        sys.executable,
        "-m",
        "partadvisor",
        "demo",
        "--dir",
        str(folder / "run"),
        "--json",
        str(report),
        *options,
    ]
    run = subprocess.run(command, capture_output=True, text=True, check=False, timeout=600)
    assert run.returncode == 0, run.stderr
    result: dict[str, Any] = json.loads(report.read_text())
    return result


def extend_share(run: dict[str, Any]) -> float:
    return float(next((w["share"] for w in run["waits"] if w["class"] == "Lock:extend"), 0.0))


@pytest.mark.long
def test_the_queue_is_found_and_ended_while_clients_keep_ordering(tmp_path: Path) -> None:
    report = demo(tmp_path, "--seconds", "6")
    assert report["advice"]["diagnosis"]["verdict"] == "extension"
    assert report["migration"]["scheme"].startswith("hash(ol_w_id)")
    assert report["migration"]["rows_copied"] > 0
    assert extend_share(report["after"]) < extend_share(report["before"]) / 2
    assert (report["lost_rows"], report["duplicated_rows"]) == (0, 0)
    assert (tmp_path / "run" / "migration" / "plan.json").exists()


@pytest.mark.long
def test_a_load_that_the_processors_limit_is_not_partitioned(tmp_path: Path) -> None:
    report = demo(tmp_path, "--regime", "cpu", "--seconds", "6")
    assert report["after"] is None
    assert report["migration"] is None
    assert report["advice"]["diagnosis"]["verdict"] == "cpu"
    assert all(table["recommended"] is None for table in report["advice"]["tables"])
