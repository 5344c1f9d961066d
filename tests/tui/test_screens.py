"""Every stage at two sizes looks as its golden says; digits and bars are not compared, as the model may learn.

``PARTADVISOR_GOLDENS=write`` writes them anew: look at the difference before it is kept.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from textual.widgets import Footer

from partadvisor.tui.state import STAGES, Opening
from tests.tui.pilot import NARROW, WIDE, Driven, drive

GOLDENS = Path(__file__).parent / "goldens"
SCRIPT = "ALTER TABLE order_line ADD COLUMN note text DEFAULT clock_timestamp()::text;\nSELECT 1;\n"


def masked(screen: str) -> str:
    """Without what changes with the model's numbers: runs of digits and of bars, and the scroll bars."""
    screen = re.sub(r"\d+(?:[.,]\d+)*", "9", screen)
    screen = re.sub(r"[█▓░▒▏▎▍▌▋▊▉▁▂▃▄▅▆▇]+", "#", screen)
    screen = re.sub(r"plan [0-9a-f]{8}\b", "plan ID", screen)
    return re.sub(r"[ ─]+", " ", screen)


@pytest.mark.parametrize("size", [NARROW, WIDE], ids=["80x24", "120x40"])
def test_stages_look_as_kept(shop: Path, size: tuple[int, int]) -> None:
    (shop / "change.sql").write_text(SCRIPT)
    screens: dict[str, str] = {}

    async def play(d: Driven) -> None:
        for number, stage in enumerate(STAGES, start=1):
            await d.press("escape", str(number))
            if stage == "review":
                await d.type("change.sql")
            screens[stage] = d.screen()
        await d.press("question_mark")
        screens["help"] = d.screen()

    drive(Opening(source="shop.json"), size, play)
    wrong = []
    for name, screen in screens.items():
        golden = GOLDENS / f"{name}-{size[0]}x{size[1]}.txt"
        assert all(len(line) <= size[0] for line in screen.splitlines())
        if os.environ.get("PARTADVISOR_GOLDENS") == "write":
            golden.write_text(masked(screen))
        elif golden.read_text() != masked(screen):
            wrong.append(f"{golden.name} is now:\n{screen}")
    assert not wrong, "\n".join(wrong)


def test_the_footer_never_has_more_than_five_keys(shop: Path) -> None:
    counts: dict[str, int] = {}

    async def play(d: Driven) -> None:
        for number, stage in enumerate(STAGES, start=1):
            await d.press("escape", str(number))
            for widget in d.app._pane().query("*"):
                if widget.focusable:
                    widget.focus()
                    await d.pilot.pause()
                    counts[f"{stage} {widget}"] = len(d.app.screen.query_one(Footer).query("FooterKey"))

    drive(Opening(source="shop.json"), NARROW, play)
    assert len(counts) > len(STAGES)
    assert min(counts.values()) >= 1
    assert {name: n for name, n in counts.items() if n > 5} == {}


@pytest.mark.parametrize("theme", ["textual-light", "textual-dark"])
def test_without_colour_nothing_is_coloured(shop: Path, monkeypatch: pytest.MonkeyPatch, theme: str) -> None:
    pictures: dict[str, str] = {}

    async def play(d: Driven) -> None:
        d.app.theme = theme
        await d.press("3")
        pictures["svg"] = d.app.export_screenshot()

    drive(Opening(source="shop.json"), NARROW, play)
    assert _colours(pictures["svg"])
    monkeypatch.setenv("NO_COLOR", "1")
    drive(Opening(source="shop.json"), NARROW, play)
    assert _colours(pictures["svg"]) == set()


def _colours(svg: str) -> set[str]:
    """Fills of the text that are not grey; the first is the drawing's own for what has no colour."""
    found = set(re.findall(r"-r\d+ \{ fill: #([0-9a-f]{6})", svg))
    return {c for c in found if len({c[:2], c[2:4], c[4:]}) > 1} - {"c5c8c6"}


def test_a_resize_turns_the_plan_sideways(shop: Path) -> None:
    async def play(d: Driven) -> None:
        await d.press("6")
        tree, sql = d.app.query_one("#steps"), d.app.query_one("#sql")
        assert tree.region.y < sql.region.y
        await d.pilot.resize_terminal(*WIDE)
        await d.settle()
        assert tree.region.y == sql.region.y
        await d.pilot.resize_terminal(40, 10)
        await d.settle()
        await d.press(*"12345678")

    drive(Opening(source="shop.json"), NARROW, play)
