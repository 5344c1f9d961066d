"""The heat map with a cursor, and the cell's absolute numbers below it."""

from __future__ import annotations

from typing import ClassVar

from rich.text import Text
from textual.binding import Binding, BindingType
from textual.events import Resize
from textual.widget import Widget

from partadvisor.advise.heat_map import HeatMap, heat_map
from partadvisor.model.activity import RecentRows
from partadvisor.model.catalog import Relation
from partadvisor.render.heat_text import AXIS, cell_text, heat_lines
from partadvisor.render.style import Style

_BESIDE = 5
"""Lines for the head, the axis with its words, and the cursor's numbers."""


class HeatView(Widget, can_focus=True):
    """Arrow keys move the cursor, ``k`` shows the next column."""

    HELP = (
        "Inserts by time (to the right) and value of a column (upwards). A growing key is a diagonal, one hot value a\n"
        "band, a good key an even field. Arrows move the cursor, its numbers stand below; k shows the next column."
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "move(-1,0)", show=False),
        Binding("down", "move(1,0)", show=False),
        Binding("left", "move(0,-1)", show=False),
        Binding("right", "move(0,1)", show=False),
        Binding("k", "column", "Column"),
    ]

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self._recent: RecentRows | None = None
        self._relation: Relation | None = None
        self._columns: list[str] = []
        self._heat: HeatMap | None = None
        self._at = (0, 0)

    def show(self, relation: Relation | None, recent: RecentRows | None, columns: tuple[str, ...]) -> None:
        """The rows of a table, with these columns first."""
        if (relation, recent) != (self._relation, self._recent) or columns != tuple(self._columns[: len(columns)]):
            names = [c.name for c in relation.columns] if relation else []
            self._columns = list(dict.fromkeys((*(c for c in columns if c in names), *names)))
            self._relation, self._recent = relation, recent
            self._make()

    def action_column(self) -> None:
        """The next column whose order is known."""
        self._columns = [*self._columns[1:], *self._columns[:1]]
        self._make()

    def action_move(self, down: int, right: int) -> None:
        """Move the cursor inside the map."""
        if self._heat is not None:
            lines, columns = len(self._heat.counts), len(self._heat.spans)
            self._at = (max(0, min(lines - 1, self._at[0] + down)), max(0, min(columns - 1, self._at[1] + right)))
            self.refresh()

    def on_resize(self, _event: Resize) -> None:
        """As many cells as there is room for."""
        self._make()

    def _make(self) -> None:
        self._heat = None
        times, buckets = self.size.width - AXIS - 1, self.size.height - _BESIDE
        if self._relation is not None and self._recent is not None and times > 3:
            for _ in self._columns:
                column = self._relation.column(self._columns[0])
                if column is not None:
                    self._heat = heat_map(self._recent, column, times=times, buckets=max(3, buckets))
                if self._heat is not None:
                    break
                self._columns = [*self._columns[1:], *self._columns[:1]]
        lines, columns = (len(self._heat.counts), len(self._heat.spans)) if self._heat else (1, 1)
        self._at = (min(self._at[0], lines - 1), min(self._at[1], columns - 1))
        self.refresh()

    def render(self) -> Text:
        """The whole picture."""
        if self._heat is None:
            return Text(
                "No recent rows of this table in the snapshot: collect from a server while it is written to.",
                style="italic",
            )
        style, heat = Style(True), self._heat
        head = style.bold(f"{heat.column}: {heat.rows:,} rows inserted last")
        lines = [head, *heat_lines(heat, style, at=self._at if self.has_focus else None), cell_text(heat, self._at)]
        return Text.from_ansi("\n".join(lines))
