"""Stage diagnosis: where the time goes, in the diagnosis' own words and pictures."""

from __future__ import annotations

from textual.app import ComposeResult

from partadvisor.model.diagnosis import Diagnosis
from partadvisor.render.diagnosis_text import diagnosis_text
from partadvisor.tui.panes.base import Pane
from partadvisor.tui.state import Walk
from partadvisor.tui.widgets.text_view import TextView


class DiagnosisPane(Pane):
    """The whole page, to scroll."""

    STAGE = "diagnosis"
    FIRST = "#page"
    HELP = (
        "The verdict first, then its evidence. A bar is solid up to the low end of its 95 % interval, shaded up to\n"
        "the estimate, light up to the high end. What to do, what was taken for granted and what is not known follow."
    )

    def __init__(self) -> None:
        super().__init__()
        self._shown: Diagnosis | None = None

    def compose(self) -> ComposeResult:
        """One page."""
        yield TextView(id="page")

    def show(self, walk: Walk) -> None:
        """A new diagnosis, if there is one."""
        found = walk.diagnosis
        if found is not None and found is not self._shown:
            self._shown = found
            self.query_one(TextView).show(lambda width, _height: diagnosis_text(found, width=width, colour=True))
