"""Help for where the user is: the focused widget, its stage, and every key that works there."""

from __future__ import annotations

from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Static


class HelpScreen(ModalScreen[None]):
    """Text and keys; any of Esc, ``?`` and ``q`` closes it."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,question_mark,q,f1", "dismiss", "Back")]

    def __init__(self, texts: list[str], keys: list[tuple[str, str]]) -> None:
        super().__init__()
        self._texts, self._keys = texts, keys

    def compose(self) -> ComposeResult:
        """One page."""
        page = Text("\n\n".join(" ".join(text.split()) for text in self._texts if text))
        page.append("\n\n")
        for key, what in self._keys:
            page.append(f"{key:>12}", style="bold")
            page.append(f"  {what}\n")
        with VerticalScroll(classes="dialog"):
            yield Static(page)
