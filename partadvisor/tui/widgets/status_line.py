"""One line for what is going on, and for what went wrong: errors stand where the work was asked for."""

from __future__ import annotations

from rich.text import Text
from textual.widgets import Static

from partadvisor.model.errors import PartadvisorError
from partadvisor.render.style import bar, percent

_BAR = 12


class StatusLine(Static):
    """Up to four lines; empty when there is nothing to say."""

    def working(self, what: str, share: float | None, note: str | None = None) -> None:
        """Work that goes on; ``note`` is what there is to say besides, such as who holds a lock."""
        drawn = "…" if share is None else f" {bar(share, _BAR)} {percent(share)}"
        self._say(Text(f"{what}{drawn}" + (f"\n{note}" if note else "")), "working")

    def said(self, text: str) -> None:
        """Work that is done."""
        self._say(Text(text), "said")

    def error(self, error: PartadvisorError) -> None:
        """A failure in PostgreSQL's shape."""
        parts = [f"error: {error.message}"]
        parts += [f"detail: {error.detail}"] if error.detail else []
        parts += [f"hint: {error.hint}"] if error.hint else []
        self._say(Text("\n".join(parts)), "error")

    def _say(self, text: Text, kind: str) -> None:
        self.set_classes(kind)
        self.update(text)
