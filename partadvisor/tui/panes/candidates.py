"""Stage candidates: the ranked schemes, a line for an own one, and what speaks for and against the one looked at."""

from __future__ import annotations

from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.widgets import DataTable, Input, Static, TabbedContent, TabPane

from partadvisor.model.advice import Candidate, TableAdvice
from partadvisor.pg.scheme_text import parse_scheme
from partadvisor.render.candidate_text import candidate_text
from partadvisor.render.overview_text import ANSWER
from partadvisor.render.plot_text import clients_plot, counts_plot, pareto_plot
from partadvisor.render.style import bar, percent, quantity, wrapped
from partadvisor.tui.messages import CompareChosen, SchemeChosen, SchemeTyped
from partadvisor.tui.panes.base import Pane
from partadvisor.tui.state import Walk
from partadvisor.tui.widgets.heat_view import HeatView
from partadvisor.tui.widgets.sort_table import Cell, SortTable
from partadvisor.tui.widgets.text_view import TextView

_COLUMNS = ("#", "gain", "largest", "query", "way", "scheme")
_VIEWS = ("why", "table", "clients", "counts", "trade-off", "inserts")


class CandidatesPane(Pane):
    """The upper half chooses, the lower half explains the row under the cursor."""

    STAGE = "candidates"
    FIRST = "#ranking"
    HELP = (
        "Schemes by rank. gain is the predicted throughput, times today's; largest the share of inserts on the\n"
        "fullest partition; query the partitions a query reads. Enter plans with a scheme; i scores one of your own,\n"
        "such as hash(w_id) into 16 or range(created_at) by month; v shows the next picture; c puts a row into the\n"
        "comparison: first its left side, then its right; s sorts."
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("i", "own", "Own scheme"),
        Binding("v", "view", "Picture"),
        Binding("c", "compare", "Compare", show=False),
    ]

    def __init__(self) -> None:
        super().__init__()
        self._walk = Walk()
        self._drawn: tuple[object, ...] = ()
        self._next_left = True

    def compose(self) -> ComposeResult:
        """Ranking, own scheme, pictures."""
        yield Static("", id="answer")
        yield SortTable(_COLUMNS, id="ranking")
        yield Input(placeholder="own scheme, such as hash(w_id) into 16", id="own", compact=True)
        with TabbedContent(id="views"):
            for name in _VIEWS[:-1]:
                with TabPane(name, id=f"tab-{name}"):
                    yield TextView(id=f"view-{name}")
            with TabPane(_VIEWS[-1], id=f"tab-{_VIEWS[-1]}"):
                yield HeatView(id="heat")

    def show(self, walk: Walk) -> None:
        """The answer for the chosen table."""
        before, self._walk = self._walk.advised, walk
        table = walk.advised
        if table is None:
            self.query_one("#answer", Static).update("No table is chosen: take one in stage tables.")
            self.query_one(SortTable).fill({})
            return
        answer = ANSWER[table.verdict] if table.recommended is None else "partition"
        self.query_one("#answer", Static).update(Text.assemble((table.table, "bold"), f": {answer}"))
        changed = before is not table
        self.query_one(SortTable).fill(_rows(table, walk), walk.scheme if changed else None)
        self._explain()

    def on_data_table_row_highlighted(self, event: DataTable.RowHighlighted) -> None:
        """Explain the row under the cursor."""
        event.stop()
        self._explain()

    def on_data_table_row_selected(self, event: DataTable.RowSelected) -> None:
        """Plan with it."""
        event.stop()
        if event.row_key.value is not None:
            self.post_message(SchemeChosen(event.row_key.value))

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Score what was typed."""
        event.stop()
        if event.value.strip():
            self.post_message(SchemeTyped(event.value.strip()))

    def action_own(self) -> None:
        """To the line for an own scheme."""
        self.screen.set_focus(self.query_one("#own", Input))

    def action_view(self) -> None:
        """The next picture; the focus stays where it is, unless it was in the picture that goes."""
        views = self.query_one(TabbedContent)
        names = [f"tab-{name}" for name in _VIEWS]
        inside = self.screen.focused is not None and views in self.screen.focused.ancestors
        views.active = names[(names.index(views.active) + 1) % len(names)]
        if inside and views.active_pane is not None:
            next(iter(views.active_pane.query("TextView, HeatView"))).focus()

    def action_compare(self) -> None:
        """The row becomes the left side, the next one the right side."""
        scheme = self.query_one(SortTable).current
        if scheme is not None:
            left, self._next_left = self._next_left, not self._next_left
            self.post_message(CompareChosen(left=scheme if left else None, right=None if left else scheme))

    def _explain(self) -> None:
        table, scheme = self._walk.advised, self.query_one(SortTable).current
        one = self._walk.candidate_of(scheme)
        if table is None or (table, one) == self._drawn:
            return
        self._drawn = (table, one)
        draws = {
            "why": lambda w, _h: _why(table, one, w),
            "table": lambda w, _h: "\n".join(wrapped(table.reason, w)),
            "clients": lambda w, h: clients_plot(table, width=w, height=h, colour=True),
            "counts": lambda w, h: counts_plot(table, width=w, height=h, colour=True),
            "trade-off": lambda w, h: pareto_plot(table, width=w, height=h, colour=True),
        }
        for name, draw in draws.items():
            self.query_one(f"#view-{name}", TextView).show(draw)
        self._show_heat(table, one)

    def _show_heat(self, table: TableAdvice, one: Candidate | None) -> None:
        snapshot = self._walk.snapshot
        if snapshot is not None:
            relation, recent = snapshot.relation(table.table), snapshot.rows_of(table.table)
            columns = parse_scheme(one.scheme).columns if one else ()
            self.query_one(HeatView).show(relation, recent, columns)


def _why(table: TableAdvice, one: Candidate | None, width: int) -> str:
    if one is None:
        return "\n".join(wrapped(table.reason, width))
    return f"{one.scheme}\n{candidate_text(table, one, width=width, colour=True)}"


def _rows(table: TableAdvice, walk: Walk) -> dict[str, list[Cell]]:
    rows: dict[str, list[Cell]] = {}
    for one in table.candidates:
        gain, share = one.throughput_ratio, one.write.max_share
        mark = "▸" if one.scheme == walk.scheme else " "
        star = "*" if one.rank == table.recommended else "+" if one.named_by_user else " "
        style = "" if one.feasible else "dim"
        way = one.migration if one.feasible else "not possible"
        rows[one.scheme] = [
            (Text(f"{mark}{star}{one.rank}", style=style), -one.rank),
            (Text(f"{gain.low:.1f}-{gain.high:.1f}x", justify="right", style=style), gain.expected),
            (Text(f"{bar(share, 4)} {percent(share):>6}", justify="right", style=style), share),
            (Text(quantity(one.read.partitions_per_query), justify="right"), one.read.partitions_per_query),
            (Text(way, style=style), way),
            (Text(one.scheme, style=style), one.scheme),
        ]
    return rows
