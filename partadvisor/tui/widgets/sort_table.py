"""A table whose rows are sorted by any column: ``s`` goes to the next one, again for the other direction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from rich.text import Text
from textual.binding import Binding, BindingType
from textual.widgets import DataTable

Cell = tuple[str | Text, Any]
"""What is shown, and what to sort by."""


class SortTable(DataTable[str | Text]):
    """Rows keep their key through sorting; ``fill`` keeps the cursor on its row."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("s", "sort", "Sort", show=False)]

    def __init__(self, columns: Sequence[str], *, id: str) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id, cursor_type="row", zebra_stripes=False, cell_padding=1)
        self._names = tuple(columns)
        self._rows_by_key: Mapping[str, Sequence[Cell]] = {}
        self._order: tuple[int, bool] | None = None

    def fill(self, rows: Mapping[str, Sequence[Cell]], cursor: str | None = None) -> None:
        """Show these rows, by key; the cursor goes to ``cursor`` or stays."""
        if rows == self._rows_by_key and self.columns:
            self.go_to(cursor)
            return
        wanted = cursor or self.current
        self._rows_by_key = dict(rows)
        self._draw()
        self.go_to(wanted)

    @property
    def current(self) -> str | None:
        """Key of the row under the cursor."""
        keys = list(self._sorted())
        return keys[self.cursor_row] if 0 <= self.cursor_row < len(keys) else None

    def go_to(self, key: str | None) -> None:
        """Put the cursor on a row."""
        if key is not None and key in self._rows_by_key:
            self.move_cursor(row=list(self._sorted()).index(key), animate=False)

    def action_sort(self) -> None:
        """The next column, downwards; then the other direction; then the order given."""
        if self._order is None:
            self._order = (0, True)
        elif self._order[1]:
            self._order = (self._order[0], False)
        elif self._order[0] + 1 < len(self._names):
            self._order = (self._order[0] + 1, True)
        else:
            self._order = None
        current = self.current
        self._draw()
        self.go_to(current)

    def on_data_table_header_selected(self, event: DataTable.HeaderSelected) -> None:
        """A click sorts too."""
        same = self._order is not None and self._order[0] == event.column_index
        self._order = (event.column_index, not (same and self._order is not None and self._order[1]))
        self._draw()

    def _sorted(self) -> Mapping[str, Sequence[Cell]]:
        if self._order is None:
            return self._rows_by_key
        place, down = self._order
        known = {k: c for k, c in self._rows_by_key.items() if c[place][1] is not None}
        ordered = sorted(known, key=lambda k: known[k][place][1], reverse=down)
        return {k: self._rows_by_key[k] for k in (*ordered, *(k for k in self._rows_by_key if k not in known))}

    def _draw(self) -> None:
        self.clear(columns=True)
        for n, name in enumerate(self._names):
            mark = "" if self._order is None or self._order[0] != n else " ▼" if self._order[1] else " ▲"
            self.add_column(f"{name}{mark}")
        for key, cells in self._sorted().items():
            self.add_row(*(cell[0] for cell in cells), key=key)
