"""The mean transaction as one bar and a table: what its milliseconds were spent on."""

from __future__ import annotations

from partadvisor.model.diagnosis import LatencyPart, LatencySplit
from partadvisor.render.style import Style, pad, percent, wrapped

_MARKS = "█▓▒░▚▞·"
"""One mark a part, so that the bar can be read without colours."""


def latency_lines(split: LatencySplit | None, style: Style, width: int) -> list[str]:
    """Lines of at most ``width`` characters (from 60 on)."""
    if split is None:
        return []
    parts = sorted(split.parts, key=lambda part: -part.ms)
    marks = dict(zip((part.part for part in parts), _MARKS, strict=False))
    lines = [
        style.bold(f"A transaction takes {milliseconds(split.transaction_ms)} on average"),
        "  " + style.cyan(_stacked(parts, marks, split.transaction_ms, min(72, width - 2))),
        *(_row(part, marks[part.part], split.transaction_ms, style, width) for part in parts),
    ]
    for note in split.notes:
        lines += [style.dim(line) for line in wrapped(note, width, first="  ")]
    return lines


def _stacked(parts: list[LatencyPart], marks: dict[str, str], whole: float, width: int) -> str:
    """The parts side by side; rounding is done on the running sum, so that the bar is always full."""
    drawn, so_far = "", 0.0
    for part in parts:
        so_far += part.ms
        drawn += marks[part.part] * (round(so_far / whole * width) - len(drawn))
    return drawn


def _row(part: LatencyPart, mark: str, whole: float, style: Style, width: int) -> str:
    name = pad(part.part, 30)
    share = percent(part.ms / whole)
    text = f"  {style.cyan(mark)} {name} {pad(milliseconds(part.ms), 8, right=True)} {pad(share, 6, right=True)}"
    if part.counter_ms is None:
        return text
    room = width - 52  # what name, time and share leave
    words = (f"{milliseconds(part.counter_ms)} by {part.counter}", f"{milliseconds(part.counter_ms)} counted", "")
    return f"{text}  {style.dim(next(w for w in words if len(w) <= max(room, 0)))}".rstrip()


def milliseconds(value: float) -> str:
    """``36.9 ms``: three digits at least matter."""
    return f"{value:,.0f} ms" if value >= 99.5 else f"{value:.1f} ms" if value >= 9.95 else f"{value:.2f} ms"
