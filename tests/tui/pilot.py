"""Drives the walkthrough without a terminal, and reads its screen as text."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from textual.pilot import Pilot

from partadvisor.tui.app import Walkthrough
from partadvisor.tui.state import Opening

Play = Callable[["Driven"], Awaitable[None]]
NARROW, WIDE = (80, 24), (120, 40)
_PATIENCE_SECONDS = 60.0
_QUIET_LOOKS, _LOOK_SECONDS = 3, 0.01


class Driven:
    """A running application."""

    def __init__(self, app: Walkthrough, pilot: Pilot[None]) -> None:
        self.app, self.pilot = app, pilot

    async def press(self, *keys: str) -> None:
        """Press keys, and wait after each until all work is done."""
        for key in keys:
            await self.pilot.press(key)
            await self.settle()

    async def type(self, text: str) -> None:
        """Put a text into the focused field, as a paste does, and press Enter."""
        field: Any = self.app.focused
        field.value = text
        await self.press("enter")

    async def settle(self) -> None:
        """Until nothing is at work and all is drawn.

        On a busy machine a key's message may not yet have become work at the first look, so several in a row count.
        """
        quiet = 0
        while quiet < _QUIET_LOOKS:
            await self.pilot.pause(_LOOK_SECONDS)
            quiet = 0 if self.app._busy is not None or list(self.app.workers) else quiet + 1
            await self.until(lambda: self.app._busy is None and not list(self.app.workers))

    async def until(self, true: Callable[[], bool]) -> None:
        """Wait for a condition."""
        end = asyncio.get_running_loop().time() + _PATIENCE_SECONDS
        while not true():
            assert asyncio.get_running_loop().time() < end, f"never came true; the screen:\n{self.screen()}"
            await asyncio.sleep(0.01)

    def screen(self) -> str:
        """What is shown."""
        strips = self.app.screen._compositor.render_strips()
        return "\n".join("".join(segment.text for segment in strip).rstrip() for strip in strips) + "\n"

    def shown(self, selector: str) -> str:
        """The text of one widget, whatever of it is in view."""
        widget: Any = self.app.screen.query_one(selector)
        return str(widget.render())


def drive(opening: Opening, size: tuple[int, int], play: Play) -> Walkthrough:
    """Run the application through ``play``; an exception inside it fails the test."""
    app = Walkthrough(opening)

    async def run() -> None:
        async with app.run_test(size=size) as pilot:
            driven = Driven(app, pilot)
            await driven.settle()
            await play(driven)

    try:
        asyncio.run(run())
    finally:
        app.close_demo()
    return app
