"""Curves and points in characters, for a terminal: the same pictures as the report's, in its words."""

from __future__ import annotations

from collections.abc import Sequence

from partadvisor.model.advice import Candidate, TableAdvice
from partadvisor.render.curve_text import clients_text
from partadvisor.render.style import Style, wrapped

_LABEL = 7
"""Columns of the vertical axis, its line included."""
_LEAST_CHANGE = 0.02


def clients_plot(table: TableAdvice, *, width: int, height: int, colour: bool) -> str:
    """Throughput over concurrent clients: today (``o``) and with the scheme (``●``)."""
    points, style = table.clients, Style(colour)
    if len(points) < 2:
        return "No curve: nothing is recommended for this table.\n"
    series = (("o", [p.today for p in points]), ("●", [p.candidate for p in points]))
    head = f"times today's throughput by clients: {style.green('●')} scheme  o today"
    words = wrapped(clients_text(table), width)
    lines = _curves(series, [str(p.clients) for p in points], width, height - 3 - len(words), style)
    return "\n".join([head, *lines, *words]) + "\n"


def counts_plot(table: TableAdvice, *, width: int, height: int, colour: bool) -> str:
    """Expected throughput over the number of hash partitions (``●``), with the ends of its range (``·``)."""
    points, style = table.counts, Style(colour)
    if len(points) < 2:
        return "No curve: the recommended scheme has no hash partitions.\n"
    gains = [p.throughput_ratio for p in points]
    series = (("·", [g.low for g in gains]), ("·", [g.high for g in gains]), ("●", [g.expected for g in gains]))
    head = f"times today's throughput by partitions: {style.green('●')} expected  · range"
    return "\n".join([head, *_curves(series, [str(p.partitions) for p in points], width, height - 3, style)]) + "\n"


def _curves(
    series: Sequence[tuple[str, list[float]]], labels: list[str], width: int, height: int, style: Style
) -> list[str]:
    """Points at even distances, one a label, since the ladders grow by doubling."""
    height, top = max(4, height), max(v for _, values in series for v in values) or 1.0
    room = width - _LABEL - max(len(label) for label in labels)
    step = max(1, min(10, room // max(1, len(labels) - 1)))
    grid = [[" "] * (step * (len(labels) - 1) + 1) for _ in range(height)]
    for mark, values in series:
        for n, value in enumerate(values):
            grid[height - 1 - round(value / top * (height - 1))][n * step] = mark
    lines = _framed(grid, top, 0.0, style)
    return [*lines, " " * _LABEL + _ticks(labels, step)]


def _framed(grid: list[list[str]], top: float, bottom: float, style: Style) -> list[str]:
    lines = []
    for y, row in enumerate(grid):
        value = top - (top - bottom) * y / (len(grid) - 1)
        name = f"{value:.1f}" if y in (0, len(grid) // 2, len(grid) - 1) else ""
        drawn = "".join(row).rstrip().replace("●", style.green("●"))
        lines.append(f"{style.dim(name.rjust(_LABEL - 2))} │{drawn}")
    return [*lines, " " * (_LABEL - 1) + "└" + "─" * len(grid[0])]


def _ticks(labels: list[str], step: int) -> str:
    """Labels under their points; one that would touch its neighbour is left out."""
    line = ""
    for n, label in enumerate(labels):
        if n == 0 or n * step > len(line):
            line = line.ljust(n * step) + label
    return line


def pareto_plot(table: TableAdvice, *, width: int, height: int, colour: bool) -> str:
    """Ranks placed by read cost (to the right is dearer) and expected throughput (up is better)."""
    style, shown = Style(colour), table.candidates
    if not shown:
        return "No candidate to show.\n"
    costs, gains = [c.read.cost_ratio for c in shown], [c.throughput_ratio.expected for c in shown]
    left, right = min(*costs, 1.0), max(*costs, 1.0 + _LEAST_CHANGE)
    bottom, top = min(*gains, 1.0), max(*gains, 1.0 + _LEAST_CHANGE)
    columns, height = min(64, width - _LABEL - 4), max(4, height - 5)
    grid = [[" "] * columns for _ in range(height)]
    for one in sorted(shown, key=lambda c: (c.pareto, -c.rank)):
        x = round((one.read.cost_ratio - left) / (right - left) * (columns - 4))
        y = height - 1 - round((one.throughput_ratio.expected - bottom) / (top - bottom) * (height - 1))
        _write(grid[y], x, _mark(one, table), shares=any(c is not one and _near(c, one) for c in shown))
    head = "throughput (up) over read cost (right), times today's"
    axis = f"{' ' * _LABEL}{left:.2f}{f'{right:.2f}'.rjust(columns - 4)}"
    legend = "* recommended  ● on the front  ○ behind it  × not possible"
    return "\n".join([head, *_framed(grid, top, bottom, style), axis, *wrapped(legend, width)]) + "\n"


def _mark(one: Candidate, table: TableAdvice) -> str:
    kind = "*" if one.rank == table.recommended else "×" if not one.feasible else "●" if one.pareto else "○"
    return f"{kind}{one.rank}"


def _near(one: Candidate, other: Candidate) -> bool:
    """Whether both fall on about the same place."""
    near = abs(one.throughput_ratio.expected - other.throughput_ratio.expected) < 0.1
    return near and abs(one.read.cost_ratio - other.read.cost_ratio) < _LEAST_CHANGE


def _write(row: list[str], at: int, mark: str, *, shares: bool) -> None:
    """Put the mark at its place, or right of what is there already when it shares the place."""
    if shares:
        while at < len(row) and row[at] != " ":
            at += 1
    row[at : at + len(mark)] = list(mark)[: max(0, len(row) - at)]
