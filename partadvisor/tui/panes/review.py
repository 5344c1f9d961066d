"""Stage review: a migration script, its findings, and the place of each."""

from __future__ import annotations

from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.widgets import Input, OptionList, TextArea
from textual.widgets.option_list import Option

from partadvisor.model.finding import Finding, Review
from partadvisor.render.review_text import review_text, summary
from partadvisor.render.style import Style
from partadvisor.tui.messages import ReviewRequested
from partadvisor.tui.panes.base import Pane
from partadvisor.tui.state import Walk
from partadvisor.tui.widgets.text_view import TextView

_COLOURS = {"error": "red", "warning": "yellow", "info": "cyan"}


class ReviewPane(Pane):
    """A script to paste or to open; Enter on a finding jumps to its lines."""

    STAGE = "review"
    FIRST = "#file"
    HELP = (
        "Type the name of a script and Enter, or paste SQL into the field below and press F5. Up and down in the list\n"
        "of findings explain one, Enter jumps to its lines. With a snapshot open, sizes and traffic are known."
    )
    BINDINGS: ClassVar[list[BindingType]] = [Binding("f5", "review", "Review")]

    def __init__(self) -> None:
        super().__init__()
        self._review: Review | None = None
        self._file = "script.sql"

    def compose(self) -> ComposeResult:
        """File, script, findings, explanation."""
        yield Input(
            placeholder="script to open, such as migrations/0042.sql; or paste SQL below", id="file", compact=True
        )
        yield TextArea(id="script", show_line_numbers=True, tab_behavior="focus", compact=True, soft_wrap=False)
        yield OptionList(id="findings", compact=True)
        yield TextView(id="finding")

    def show(self, walk: Walk) -> None:
        """A new review, if there is one."""
        review = walk.review
        if review is None or review is self._review:
            return
        self._review, self._file = review, walk.script_file
        script = self.query_one(TextArea)
        if script.text != walk.script:
            script.text = walk.script
        findings = self.query_one("#findings", OptionList)
        findings.clear_options()
        findings.add_options([Option(_line(f)) for f in review.findings])
        if review.findings:
            findings.highlighted = 0
            findings.focus()
        else:
            self._explain(None)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Open a file and review it."""
        event.stop()
        if event.value.strip():
            self.post_message(ReviewRequested(event.value.strip(), None))

    def action_review(self) -> None:
        """Review what stands in the field."""
        text = self.query_one(TextArea).text
        if text.strip():
            self.post_message(ReviewRequested(self._file, text))

    def on_option_list_option_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        """Explain the finding and show its place."""
        event.stop()
        if self._review is not None and event.option_index < len(self._review.findings):
            finding = self._review.findings[event.option_index]
            self._explain(finding)
            self._go_to(finding)

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Into the script, at the finding."""
        event.stop()
        if self._review is not None and event.option_index < len(self._review.findings):
            self._go_to(self._review.findings[event.option_index])
            self.query_one(TextArea).focus()

    def _go_to(self, finding: Finding) -> None:
        script = self.query_one(TextArea)
        script.move_cursor((finding.line - 1, max(0, finding.column - 1)), center=True)
        script.move_cursor((finding.end_line - 1, max(0, finding.end_column - 1)), select=True)

    def _explain(self, finding: Finding | None) -> None:
        import msgspec

        review, text = self._review, self.query_one(TextArea).text
        if review is None:
            return
        if finding is None:
            self.query_one("#finding", TextView).show(lambda _w, _h: summary(review, Style(True)))
            return
        alone = msgspec.structs.replace(review, findings=(finding,), not_analysed=(), assumptions=())
        texts = {finding.file: text}
        self.query_one("#finding", TextView).show(
            lambda w, _h: review_text(alone, texts, width=w, colour=True).rsplit("\n", 2)[0]
        )


def _line(finding: Finding) -> Text:
    text = Text(f"{finding.line:>4} ")
    text.append(f"{finding.severity:<7} ", style=_COLOURS[finding.severity])
    return text.append(f"{finding.rule} {finding.slug}")
