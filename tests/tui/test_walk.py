"""The way from a snapshot file to written files, by keys alone, with no server; and what goes wrong on it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from textual.widgets import TextArea, Tree

from partadvisor.tui.state import Opening
from tests.tui.pilot import NARROW, WIDE, Driven, drive

OPENING = Opening(source="shop.json")
HAZARD = "SELECT 1;\n\nCREATE INDEX ON order_line (ol_i_id);\n"


def test_from_a_snapshot_to_the_files(shop: Path) -> None:
    async def play(d: Driven) -> None:
        assert d.app.walk.table == "public.order_line"
        await d.press(*"nnnnnn")
        await d.press("escape", "8", "enter")
        assert "wrote" in d.shown("#status")
        assert {s for s in ("source", "migration", "export") if d.app.walk.mark(s) == "done"} == {
            "source", "migration", "export",
        }  # fmt: skip

    app = drive(OPENING, NARROW, play)
    folder = shop / "partadvisor-export"
    assert sorted(p.name for p in folder.iterdir()) == ["advice.html", "diagnosis.html", "plan", "snapshot.json"]
    scheme = app.walk.scheme
    assert scheme is not None
    assert scheme in (folder / "advice.html").read_text()
    _run("plan", "shop.json", "--table", "public.order_line", "-o", "by-command")
    assert (folder / "plan" / "plan.json").read_text() == (shop / "by-command" / "plan.json").read_text()
    assert (folder / "snapshot.json").read_bytes() == (shop / "shop.json").read_bytes()


def test_an_own_scheme_is_scored_as_the_command_does(shop: Path) -> None:
    async def play(d: Driven) -> None:
        await d.press("4", "i")
        await d.type("HASH (ol_d_id) into 8")

    walk = drive(OPENING, NARROW, play).walk
    assert walk.scheme == "hash(ol_d_id) into 8"
    assert walk.candidate is not None
    assert walk.candidate.named_by_user
    text = _run("advise", "shop.json", "--table", "order_line", "--key", "hash(ol_d_id) into 8", "--format", "json")
    by_command = next(c for c in json.loads(text)["tables"][0]["candidates"] if c["scheme"] == walk.scheme)
    assert by_command["throughput_ratio"]["expected"] == walk.candidate.throughput_ratio.expected


def test_an_impossible_scheme_is_explained_and_not_taken(shop: Path) -> None:
    async def play(d: Driven) -> None:
        before = d.app.walk.scheme
        await d.press("4", "i")
        await d.type("hash(ol_i_id) into 16")
        assert "ol_i_id" in d.screen()
        await d.press("enter")
        assert "is not possible" in d.shown("#status")
        await d.press("6")
        assert "order_line_pkey" in d.shown("#status")
        assert before != d.app.walk.scheme

    drive(OPENING, NARROW, play)


def test_nonsense_gives_errors_in_place(shop: Path) -> None:
    async def play(d: Driven) -> None:
        await d.press("4", "i")
        await d.type("cheese(ol_w_id)")
        assert d.shown("#status").startswith("error:")
        await d.press("escape", "i")
        await d.type("hash(nope) into 8")
        assert "nope" in d.shown("#status")
        await d.press("escape", "7")
        await d.type("absent.sql")
        await d.until(lambda: 'could not read script "absent.sql"' in d.shown("#status"))
        await d.press("escape", "1")
        d.app.query_one("#input").focus()
        await d.pilot.pause()
        await d.type("absent.json")
        await d.until(lambda: 'could not read snapshot "absent.json"' in d.shown("#status"))
        (shop / "broken.json").write_text('{"snapshot_version": 1')
        await d.type("broken.json")
        await d.until(lambda: "truncated" in d.shown("#status"))
        assert d.app.walk.snapshot is not None

    drive(OPENING, NARROW, play)


def test_with_nothing_every_stage_can_be_entered(tmp_path: Path) -> None:
    async def play(d: Driven) -> None:
        assert "DSN" in d.screen()
        assert "demo" in d.screen()
        d.app.query_one("#stages").focus()
        for key in "2345687":
            await d.press(key)
            await d.press("escape")
        await d.press("8", "enter")
        assert "no source is open" in d.shown("#status")

    drive(Opening(), NARROW, play)


def test_another_table_and_another_scheme_make_what_was_done_stale(shop: Path) -> None:
    async def play(d: Driven) -> None:
        await d.press("6", "8", "enter")
        assert d.app.walk.mark("migration") == "done"
        await d.press("4", "down", "down", "enter")
        assert (d.app.walk.mark("migration"), d.app.walk.mark("export")) == ("stale", "stale")
        assert "!" in d.screen().splitlines()[6]
        await d.press("6")
        assert d.app.walk.mark("migration") == "done"
        d.app.query_one("#relations").focus()
        await d.press("2")
        table: Any = d.app.query_one("#relations")
        table.go_to("public.stock")
        await d.press("enter")
        assert d.app.walk.table == "public.stock"
        assert d.app.walk.advised is not None

    drive(OPENING, NARROW, play)


def test_two_schemes_stand_side_by_side(shop: Path) -> None:
    async def play(d: Driven) -> None:
        await d.press("4", "c", "down", "down", "c", "5")
        walk = d.app.walk
        assert walk.advised is not None
        assert (walk.left, walk.right) == (walk.advised.candidates[0].scheme, walk.advised.candidates[2].scheme)
        await d.press("b")
        assert d.app.walk.right == walk.advised.candidates[3].scheme
        assert d.app.walk.left == walk.left

    drive(OPENING, WIDE, play)


def test_statements_of_a_step_are_copied(shop: Path) -> None:
    async def play(d: Driven) -> None:
        await d.press("6", "down", "down", "y")
        tree: Any = d.app.query_one(Tree)
        step = tree.cursor_node.data
        assert step.sql.strip() in d.app.clipboard
        await d.press("enter")
        assert any(lock.mode in d.screen() for lock in step.locks)

    drive(OPENING, WIDE, play)


def test_findings_jump_to_their_lines(shop: Path) -> None:
    (shop / "index.sql").write_text(HAZARD)

    async def play(d: Driven) -> None:
        await d.press("7")
        await d.type("index.sql")
        assert d.app.walk.review is not None
        rules = [f.rule for f in d.app.walk.review.findings]
        assert rules
        script = d.app.query_one(TextArea)
        assert script.selection.start[0] == 2
        await d.press("enter")
        assert d.app.focused is script
        script.text = "SELECT 2;\n"
        await d.press("f5")
        assert d.app.walk.review is not None
        assert d.app.walk.review.findings == ()

    drive(OPENING, NARROW, play)


def test_escape_backs_out_of_everything(shop: Path) -> None:
    async def play(d: Driven) -> None:
        await d.press("4", "i", "question_mark", "f1")
        assert len(d.app.screen_stack) == 2
        await d.press("escape", "escape")
        assert d.app.focused is d.app.query_one("#ranking")
        await d.press("escape")
        assert d.app.focused is d.app.query_one("#stages")
        await d.press("escape")
        assert d.screen().splitlines()[3].startswith("▸3 diagnosis")
        await d.press(*["escape"] * 4)
        assert d.screen().splitlines()[1].startswith("▸1 source")

    drive(OPENING, NARROW, play)


def _run(*arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "partadvisor", *arguments], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout
