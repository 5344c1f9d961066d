"""A heat map of inserts in characters: five shades, an axis of values at the left, time to the right."""

from __future__ import annotations

from partadvisor.advise.heat_map import HeatMap
from partadvisor.render.style import Style, percent

SHADES = " ░▒▓█"
AXIS = 13
"""Columns that the values' axis takes, its line included."""


def heat_lines(heat: HeatMap, style: Style, *, at: tuple[int, int] | None = None) -> list[str]:
    """One line a bucket of values, the largest on top; ``at`` is the cell (line, column) to mark."""
    lines = []
    for y, counts in enumerate(heat.counts):
        name = _cut(heat.bounds[y][0], AXIS - 2).rjust(AXIS - 2)
        cells = [shade(n, heat.most) for n in counts]
        drawn = "".join(cells)
        if at is not None and at[0] == y:
            x = at[1]
            drawn = f"{style.cyan(''.join(cells[:x]))}{style.bold('◆')}{style.cyan(''.join(cells[x + 1 :]))}"
        else:
            drawn = style.cyan(drawn)
        lines.append(f"{style.dim(name)} │{drawn}")
    lines.append(" " * (AXIS - 1) + "└" + "─" * len(heat.spans))
    return [*lines, style.dim(" " * AXIS + "older → newer")]


def shade(count: int, most: int) -> str:
    """A mark for one cell; only an empty one is blank."""
    return SHADES[0] if count == 0 else SHADES[1 + min(3, 4 * (count - 1) // max(1, most))]


def cell_text(heat: HeatMap, at: tuple[int, int]) -> str:
    """The absolute numbers of one cell."""
    (low, high), (first, last) = heat.bounds[at[0]], heat.spans[at[1]]
    count = heat.counts[at[0]][at[1]]
    values = f"{heat.column} {low}" if low == high else f"{heat.column} {low} to {high}"
    when = f"transaction {first + 1}" if first == last else f"transactions {first + 1} to {last + 1}"
    return f"{values}, {when}: {count:,} of {heat.rows:,} rows ({percent(count / heat.rows)})"


def _cut(text: str, room: int) -> str:
    return text if len(text) <= room else text[: room - 1] + "…"
