"""Stage tables: which one is it about."""

from __future__ import annotations

from rich.text import Text
from textual.app import ComposeResult
from textual.widgets import DataTable, Static

from partadvisor.model.snapshot import Snapshot
from partadvisor.render.overview_text import ANSWER, chosen_of
from partadvisor.render.style import percent, short
from partadvisor.tui.messages import TableChosen
from partadvisor.tui.panes.base import Pane
from partadvisor.tui.state import Walk
from partadvisor.tui.widgets.sort_table import Cell, SortTable

_COLUMNS = ("table", "rows", "size", "ins/s", "waits", "answer")


class TablesPane(Pane):
    """Tables, the hottest first; Enter takes one and asks for its answer if there is none yet."""

    STAGE = "tables"
    FIRST = "#relations"
    HELP = (
        "The snapshot's tables: first those the advisor looked at, then by size. waits is the share of session time\n"
        "that queues to extend the table. Enter takes a table; s sorts by the next column."
    )

    def compose(self) -> ComposeResult:
        """A line and the table."""
        yield Static("Which table? Enter takes one.", classes="head")
        yield SortTable(_COLUMNS, id="relations")

    def show(self, walk: Walk) -> None:
        """All tables; the chosen one is marked."""
        if walk.snapshot is not None:
            self.query_one(SortTable).fill(_rows(walk, walk.snapshot), walk.table)

    def on_data_table_row_selected(self, event: DataTable.RowSelected) -> None:
        """Take it."""
        event.stop()
        if event.row_key.value is not None:
            self.post_message(TableChosen(event.row_key.value))


def _rows(walk: Walk, snapshot: Snapshot) -> dict[str, list[Cell]]:
    waits = {t.table: t for t in walk.diagnosis.tables} if walk.diagnosis else {}
    advised = {t.table: t for t in walk.advice.tables} if walk.advice else {}
    tables = [r for r in snapshot.relations if r.kind in ("table", "partitioned_table") and r.parent is None]
    places = {name: n for n, name in enumerate(advised)}
    tables.sort(key=lambda r: (places.get(r.qualified_name, len(places)), -r.heap_bytes, r.qualified_name))
    rows: dict[str, list[Cell]] = {}
    for relation in tables:
        name = relation.qualified_name
        size = relation.heap_bytes + relation.index_bytes + relation.toast_bytes
        wait, answer = waits.get(name), advised.get(name)
        rate = answer.inserts_per_second if answer else wait.inserts_per_second if wait else None
        share = wait.extension_share if wait else 0.0
        chosen = chosen_of(answer) if answer else None
        word = chosen.scheme if chosen else ANSWER[answer.verdict] if answer else ""
        rows[name] = [
            (Text(f"{'▸' if name == walk.table else ' '}{name}"), name),
            (_right(short(relation.rows) if relation.rows >= 0 else "?"), relation.rows),
            (_right(short(size, "B")), size),
            (_right("" if rate is None else short(rate)), rate),
            (_right(percent(share) if share else ""), share),
            (Text(word), word),
        ]
    return rows


def _right(text: str) -> Text:
    return Text(text, justify="right")
