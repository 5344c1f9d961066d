"""The program in a real terminal: started by its command, driven by keys from a snapshot file to an exported plan."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

_SECONDS = 60.0


class Terminal:
    """A tmux server of its own with one window of 80 by 24."""

    def __init__(self, folder: Path, command: str) -> None:
        self._socket = str(folder / "tmux")
        self._tmux("-f", os.devnull, "new-session", "-d", "-x", "80", "-y", "24", "-c", str(folder), command)

    def _tmux(self, *arguments: str) -> str:
        done = subprocess.run(["tmux", "-S", self._socket, *arguments], capture_output=True, text=True, check=True)
        return done.stdout

    def press(self, *keys: str) -> None:
        """Send keys by their tmux names."""
        self._tmux("send-keys", *keys)

    def type(self, text: str) -> None:
        """Send a text as it is, and Enter."""
        self._tmux("send-keys", "-l", text)
        self.press("Enter")

    def screen(self) -> str:
        """What the window shows."""
        return self._tmux("capture-pane", "-p")

    def wait_for(self, *words: str, without: str | None = None) -> str:
        """The screen once all these words are on it, and that other one is not."""
        end = time.monotonic() + _SECONDS
        while True:
            screen = self.screen()
            if all(word in screen for word in words) and (without is None or without not in screen):
                return screen
            assert time.monotonic() < end, f"{words} never came; the screen:\n{screen}"
            time.sleep(0.1)

    def close(self) -> None:
        """End it with all that runs in it."""
        subprocess.run(["tmux", "-S", self._socket, "kill-server"], capture_output=True, check=False)


@pytest.fixture
def terminal(shop: Path) -> Iterator[Terminal]:
    """The walkthrough, opened on the published case; its exit code is printed when it ends."""
    made = Terminal(shop, f"{sys.executable} -m partadvisor tui shop.json; echo ended with $?; sleep 60")
    try:
        yield made
    finally:
        made.close()


@pytest.mark.long
def test_from_start_to_an_exported_plan(terminal: Terminal, shop: Path) -> None:
    terminal.wait_for("relations read", "public.order_line")
    terminal.press("n")
    terminal.wait_for("Which table?", "public.stock")
    terminal.press("n")
    terminal.wait_for("Inserts queue to extend a table")
    terminal.press("n", "i")
    terminal.wait_for("own scheme", without="Own scheme")  # the footer of a field offers no letters
    terminal.type("hash(ol_w_id) into 8")
    terminal.wait_for("hash(ol_w_id) into 8", "public.order_line: 5 candidates")
    terminal.press("6")
    terminal.wait_for("strategy copy", "CREATE SCHEMA", "14 steps")
    terminal.press("?")
    terminal.wait_for("Stages by number")
    terminal.press("Escape")
    terminal.wait_for("Run …", without="Stages by number")
    terminal.press("8")
    terminal.wait_for("Write into the folder")
    terminal.press("Enter")
    terminal.wait_for("wrote partadvisor-export")
    terminal.press("q")
    screen = terminal.wait_for("ended with 0")
    assert "Traceback" not in screen
    plan = (shop / "partadvisor-export" / "plan" / "plan.json").read_text()
    assert '"scheme": "hash(ol_w_id) into 8"' in plan
