"""What every stage's pane is."""

from __future__ import annotations

from textual.containers import Vertical

from partadvisor.tui.state import StageName, Walk


class Pane(Vertical):
    """Shows a part of the state; asks the app by messages. ``show`` is called when the state or the stage changes."""

    STAGE: StageName
    HELP = ""
    FIRST = ""
    """Selector of the widget that gets the focus when the stage is entered."""

    def __init__(self) -> None:
        super().__init__(id=self.STAGE)

    def show(self, walk: Walk) -> None:
        """Show this state."""
        raise NotImplementedError
