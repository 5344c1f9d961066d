"""One snapshot for all: the published case, made from its files by a scratch server."""

from __future__ import annotations

from pathlib import Path

import pytest

from partadvisor.io.offline import offline_snapshot
from partadvisor.io.snapshot_file import write_snapshot

CASE = Path(__file__).parents[1] / "cases" / "order_entry"


@pytest.fixture(scope="session")
def order_entry(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A snapshot file."""
    path = tmp_path_factory.mktemp("tui") / "shop.json"
    write_snapshot(path, offline_snapshot(CASE / "schema.sql", CASE / "queries.sql", CASE / "stats.toml"))
    return path


@pytest.fixture
def shop(order_entry: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working folder is a fresh one that holds ``shop.json``."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "shop.json").write_bytes(order_entry.read_bytes())
    return tmp_path
