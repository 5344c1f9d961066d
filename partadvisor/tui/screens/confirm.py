"""Asks to type a word before something that is hard to take back."""

from __future__ import annotations

from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Input, Static


class ConfirmScreen(ModalScreen[bool]):
    """True once exactly ``word`` was typed; Esc is no."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "dismiss(False)", "No")]

    def __init__(self, question: str, word: str) -> None:
        super().__init__()
        self._question, self._word = question, word

    def compose(self) -> ComposeResult:
        """The question and a line to type into."""
        with Vertical(classes="dialog small"):
            yield Static(Text(self._question))
            yield Static(Text(f"Type {self._word} and Enter to do it, Esc to leave everything as it is."))
            yield Input(placeholder=self._word, compact=True)
            yield Static("", id="differs")

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Only the word itself counts."""
        event.stop()
        if event.value.strip() == self._word:
            self.dismiss(True)
        else:
            self.query_one("#differs", Static).update("That is something else; nothing was done.")
