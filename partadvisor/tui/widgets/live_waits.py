"""The moving picture while a server is watched: what its active sessions wait for, and how many they are."""

from __future__ import annotations

from collections import deque

from rich.text import Text
from textual.widgets import Static

from partadvisor.advise.waits import by_class, label
from partadvisor.render.style import Style, bar, pad, percent, quantity

_SPARKS = "▁▂▃▄▅▆▇█"
_LOOKS = 400


class LiveWaits(Static):
    """Shares over all looks so far, and the number of active sessions look by look."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self._sums: dict[str, float] = {}
        self._active: deque[int] = deque(maxlen=_LOOKS)
        self._looks = 0

    def restart(self) -> None:
        """Forget the last server."""
        self._sums, self._looks = {}, 0
        self._active.clear()
        self.update("")

    def add(self, waits: dict[str, int]) -> None:
        """One more look."""
        for event, count in waits.items():
            self._sums[event] = self._sums.get(event, 0.0) + count
        self._active.append(sum(waits.values()))
        self._looks += 1
        self.update(Text.from_ansi("\n".join(self._lines())))

    def _lines(self) -> list[str]:
        width, total, style = max(30, self.size.width), sum(self._sums.values()), Style(True)
        lines = [style.bold(f"{self._looks} looks, {quantity(total / self._looks)} active sessions on average")]
        lines.append(style.cyan(self._spark(width - 2)))
        for name, count in sorted(by_class(self._sums).items(), key=lambda item: -item[1])[:6]:
            drawn = style.cyan(bar(count / total, width - 40))
            lines.append(f"{pad(label(name), 26)} {drawn} {pad(percent(count / total), 6, right=True)}")
        return lines

    def _spark(self, width: int) -> str:
        seen = list(self._active)[-width:]
        top = max(*seen, 1) if seen else 1
        return "".join(_SPARKS[min(7, 8 * n // (top + 1))] for n in seen)
