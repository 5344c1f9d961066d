"""Stage source: where the snapshot comes from, and what it holds."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from partadvisor.model.snapshot import Snapshot
from partadvisor.render.snapshot_text import snapshot_text
from partadvisor.tui.messages import DemoRequested, OpenRequested
from partadvisor.tui.panes.base import Pane
from partadvisor.tui.screens.pick import PickScreen
from partadvisor.tui.state import Opening, Walk
from partadvisor.tui.widgets.live_waits import LiveWaits
from partadvisor.tui.widgets.text_view import TextView

_CHOICES = (
    ("pick", "Pick a snapshot file here …"),
    ("demo", "Start the demo: an order-entry load on a scratch PostgreSQL"),
)


class SourcePane(Pane):
    """A line to type a file or a DSN into, two choices, and the moving picture while a server is watched."""

    STAGE = "source"
    FIRST = "#input"
    HELP = (
        "Type the name of a snapshot file (made by partadvisor collect), or a DSN such as postgresql://dba@db1/shop;\n"
        "Enter opens it. A server is watched for 20 s, read-only; Esc ends that early and keeps what was seen.\n"
        "The demo starts a PostgreSQL of its own with a load, and removes both when you quit."
    )

    def __init__(self) -> None:
        super().__init__()
        self._shown: Snapshot | None = None

    def compose(self) -> ComposeResult:
        """From top to bottom."""
        yield Static("A snapshot file, or the DSN of a server to watch:", classes="head")
        yield Input(placeholder="shop.json, or postgresql://dba@db1/shop", id="input", compact=True)
        yield OptionList(*(Option(text, id=name) for name, text in _CHOICES), id="choices", compact=True)
        yield LiveWaits(id="live")
        yield TextView(id="snapshot")

    def on_mount(self) -> None:
        """The cursor is on the first choice."""
        self.query_one(OptionList).highlighted = 0

    def show(self, walk: Walk) -> None:
        """What was read."""
        snapshot = walk.snapshot
        if snapshot is not None and snapshot is not self._shown:
            self._shown, self.FIRST = snapshot, "#snapshot"
            self.query_one("#snapshot", TextView).show(
                lambda width, _height: f"{walk.source}\n\n{snapshot_text(snapshot, width=width, colour=True)}"
            )

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Open what was typed."""
        event.stop()
        if event.value.strip():
            self.post_message(OpenRequested(Opening(source=event.value.strip())))

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """The demo, or a file from the tree."""
        event.stop()
        if event.option_id == "demo":
            self.post_message(DemoRequested())
        else:
            self.app.push_screen(PickScreen(), self._picked)

    def _picked(self, path: str | None) -> None:
        if path is not None:
            self.query_one(Input).value = path
            self.post_message(OpenRequested(Opening(source=path)))
