"""A page of text that is rendered anew for the width it has: the renderers' own words and pictures."""

from __future__ import annotations

from collections.abc import Callable

from rich.text import Text
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.events import Resize
from textual.widgets import Static

Draw = Callable[[int, int], str]
"""From columns and lines to text with ANSI colours."""


class TextView(VerticalScroll):
    """Scrolls by keys; ``show`` gives it a function that draws for a width and a height."""

    HELP = "A page to read: up, down, page up, page down, home and end scroll it."

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self._draw: Draw = lambda _width, _height: ""
        self._drawn_for = (0, 0)

    def compose(self) -> ComposeResult:
        """One static text."""
        yield Static(classes="text")

    def show(self, draw: Draw) -> None:
        """Show another page, from its top."""
        self._draw = draw
        self._drawn_for = (0, 0)
        self.scroll_home(animate=False)
        self._redraw()

    def on_resize(self, _event: Resize) -> None:
        """Lines break elsewhere now."""
        self._redraw()

    def _redraw(self) -> None:
        size = (self.size.width - 1, self.size.height)  # a column for the scroll bar, so that lines do not move
        if size[0] > 0 and size != self._drawn_for and self.is_mounted:
            self._drawn_for = size
            self.query_one(Static).update(Text.from_ansi(self._draw(*size).rstrip("\n")))
