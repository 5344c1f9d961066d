"""Stage compare: two schemes side by side."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.widgets import Static

from partadvisor.render.compare_text import compare_text
from partadvisor.tui.messages import CompareChosen
from partadvisor.tui.panes.base import Pane
from partadvisor.tui.state import Walk
from partadvisor.tui.widgets.text_view import TextView


class ComparePane(Pane):
    """The better value of a line has a ``+``; ``a`` and ``b`` show another scheme at the left and right."""

    STAGE = "compare"
    FIRST = "#beside"
    HELP = (
        "Two schemes line by line; + marks the better value. a shows the next scheme at the left, b at the right.\n"
        "Bars: solid up to the low end of the predicted gain, shaded to the expected one, light to the high end."
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("a", "turn('left')", "Left"),
        Binding("b", "turn('right')", "Right"),
    ]

    def __init__(self) -> None:
        super().__init__()
        self._walk = Walk()
        self._drawn: tuple[object, ...] = ()

    def compose(self) -> ComposeResult:
        """A line and a page."""
        yield Static("", classes="head")
        yield TextView(id="beside")

    def show(self, walk: Walk) -> None:
        """Both candidates, if there are two."""
        self._walk = walk
        left, right = walk.candidate_of(walk.left), walk.candidate_of(walk.right)
        head = f"{walk.table}: + marks the better value" if walk.table else "No table is chosen."
        self.query_one(".head", Static).update(head)
        if left is None or right is None:
            self._drawn = ()
            self.query_one(TextView).show(lambda _w, _h: "There are no two candidates to compare for this table.")
        elif (left, right) != self._drawn:
            self._drawn = (left, right)
            self.query_one(TextView).show(lambda w, _h: compare_text(left, right, width=w, colour=True))

    def action_turn(self, side: str) -> None:
        """The next scheme on one side, leaving out the one on the other."""
        shown = {"left": self._walk.left, "right": self._walk.right}
        other = shown["right" if side == "left" else "left"]
        schemes = [c.scheme for c in (self._walk.advised.candidates if self._walk.advised else ()) if c.scheme != other]
        if schemes:
            now = shown[side]
            at = schemes.index(now) if now in schemes else -1
            self.post_message(CompareChosen(**{side: schemes[(at + 1) % len(schemes)]}))
