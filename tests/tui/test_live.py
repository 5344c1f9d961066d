"""With a server: watched while it is asked, migrated and taken back by keys, and left in the middle of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from partadvisor.tui.state import Opening
from tests.migration import rows_of, run
from tests.tui.pilot import NARROW, Driven, drive

_TABLE = "CREATE TABLE hot (id bigint PRIMARY KEY, w int); INSERT INTO hot SELECT n FROM generate_series(1, 500) n"


def _kind(dsn: str) -> str:
    return str(run(dsn, "SELECT relkind FROM pg_class WHERE oid = 'hot'::regclass")[0][0])


def test_applied_and_rolled_back_by_keys(db: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    run(db, _TABLE)
    before = rows_of(db, "hot")

    async def play(d: Driven) -> None:
        d.app.query_one("#relations").focus()
        await d.press("2", "enter", "4", "i")
        await d.type("hash(id) into 4")
        await d.press("6", "x", "enter")
        assert _kind(db) == "r"
        assert "dry-run done" in d.shown("#run-status")
        await d.press("down", "enter")
        assert "apply done" in d.shown("#run-status")
        assert _kind(db) == "p"
        await d.press("down", "down", "enter")
        await d.type("hot")
        assert "nothing was done" in d.screen()
        assert _kind(db) == "p"
        await d.type("public.hot")
        assert "rollback done" in d.shown("#run-status")
        await d.press("enter", "escape")
        assert _kind(db) == "r"
        await d.press("escape")
        assert len(d.app.screen_stack) == 1

    drive(Opening(source=db, duration=0.5), NARROW, play)
    assert rows_of(db, "hot") == before


def test_watching_moves_and_ends_early(db: str) -> None:
    run(db, _TABLE)
    seen: list[str] = []

    async def play(d: Driven) -> None:
        d.app._open(Opening(source=db, duration=600))
        live: Any = d.app.query_one("#live")
        await d.until(lambda: live._looks > 2)
        seen.append(d.shown("#live"))
        d.app.action_help()
        await d.pilot.pause()
        await d.pilot.press("escape")  # the help is open: this closes it
        assert d.app._busy == "source"
        await d.pilot.press("escape")
        await d.settle()
        assert d.app.walk.snapshot is not None
        assert d.app.walk.snapshot.window is not None
        assert d.app.walk.snapshot.window.seconds < 60

    drive(Opening(), NARROW, play)
    assert "looks" in seen[0]


def test_quitting_while_watching_is_safe(db: str) -> None:
    async def play(d: Driven) -> None:
        d.app._open(Opening(source=db, duration=600))
        await d.until(lambda: d.app._busy == "source")
        await d.app.action_quit()

    app = drive(Opening(), NARROW, play)
    assert app.return_code in (0, None)
    assert app.walk.snapshot is None


def test_no_server_is_told_in_place_without_the_password() -> None:
    async def play(d: Driven) -> None:
        await d.type("postgresql://me:secret@127.0.0.1:1/db")
        status = d.shown("#status")
        assert status.startswith("error:")
        assert "127.0.0.1" in status
        assert "secret" not in status

    drive(Opening(), NARROW, play)
