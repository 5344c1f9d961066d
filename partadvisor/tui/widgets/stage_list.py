"""The stages at the left, each with its mark: done, current, stale."""

from __future__ import annotations

from typing import ClassVar

from rich.text import Text
from textual.binding import Binding, BindingType
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from partadvisor.tui.messages import StageRequested
from partadvisor.tui.state import STAGES, StageName, Walk

_MARKS = {"todo": " ", "done": "✓", "stale": "!"}


class StageList(OptionList):
    """Enter goes to the stage under the cursor, and so does its number everywhere outside of text fields."""

    HELP = (
        "The stages of the walkthrough. Up and down choose one, Enter or Right goes into it.\n"
        "Marks: ▸ the current one, ✓ done, ! done for something that has changed since."
    )
    BINDINGS: ClassVar[list[BindingType]] = [Binding("right", "select", "Enter the stage", show=False)]

    def __init__(self) -> None:
        super().__init__(*(Option(name, id=name) for name in STAGES), id="stages")

    def show(self, walk: Walk, current: StageName) -> None:
        """New marks."""
        for number, name in enumerate(STAGES, start=1):
            here = "▸" if name == current else " "
            text = Text(f"{here}{number} {name:<11}{_MARKS[walk.mark(name)]}")
            if name == current:
                text.stylize("bold")
            self.replace_option_prompt(name, text)
        self.highlighted = STAGES.index(current)

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Go there."""
        event.stop()
        self.post_message(StageRequested(STAGES[event.option_index]))
