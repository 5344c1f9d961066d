"""Stage export: what to hand to colleagues, as files."""

from __future__ import annotations

from pathlib import Path

from rich.text import Text
from textual.app import ComposeResult
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from partadvisor.tui.messages import ExportRequested
from partadvisor.tui.panes.base import Pane
from partadvisor.tui.state import Walk

_DEFAULT = "partadvisor-export"
_KINDS = (
    ("all", "everything below"),
    ("advice", "advice.html     the answer with its pictures"),
    ("diagnosis", "diagnosis.html  where the time goes"),
    ("plan", "plan/           numbered SQL, plan.json, README.md"),
    ("snapshot", "snapshot.json   what all of it was derived from"),
)


class ExportPane(Pane):
    """A folder, and a choice of what goes into it."""

    STAGE = "export"
    FIRST = "#kinds"
    HELP = (
        "Enter writes the chosen files into the folder above, which is made when absent; Tab goes to the folder's\n"
        "name. A snapshot that was not redacted holds values of your tables: see partadvisor collect --redact."
    )

    def compose(self) -> ComposeResult:
        """Folder, choices, and what was written."""
        yield Static("Write into the folder", classes="head")
        yield Input(value=_DEFAULT, id="folder", compact=True)
        yield OptionList(*(Option(text, id=kind) for kind, text in _KINDS), id="kinds", compact=True)
        yield Static("", id="written")

    def on_mount(self) -> None:
        """Enter alone writes everything."""
        self.query_one(OptionList).highlighted = 0

    def show(self, walk: Walk) -> None:
        """What was written, and whether it still holds."""
        stale = walk.mark("export") == "stale"
        text = Text("\n".join(f"✓ {path}" for path in walk.exported))
        if stale:
            text.append("\nThese were written before the answer changed.", style="yellow")
        if walk.exported and walk.plan_dir is not None and not stale:
            text.append(f"\n\nnext: partadvisor apply {walk.plan_dir} DSN --dry-run")
        self.query_one("#written", Static).update(text)

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Write it."""
        event.stop()
        folder = self.query_one(Input).value.strip() or _DEFAULT
        self.post_message(ExportRequested(str(event.option_id), Path(folder).expanduser()))

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """The folder is named; now to the choice."""
        event.stop()
        self.query_one(OptionList).focus()
