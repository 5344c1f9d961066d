"""The few marks that text output is made of: colours, bars, wrapped lines.

Plain ANSI codes, so that a renderer needs no terminal library and a test compares strings.
"""

from __future__ import annotations

import re
import textwrap
from dataclasses import dataclass

_EIGHTHS = " ▏▎▍▌▋▊▉"
_GLUED = "\N{NO-BREAK SPACE}%"  # a number and its percent sign stay on one line
_ESCAPE = re.compile(r"\x1b\[[0-9;]*m")


@dataclass(frozen=True)
class Style:
    """Colours a text, or leaves it alone when ``colour`` is false (pipe, ``NO_COLOR``)."""

    colour: bool

    def bold(self, text: str) -> str:
        """The thing to read first."""
        return self._paint("1", text)

    def dim(self, text: str) -> str:
        """Background information."""
        return self._paint("2", text)

    def red(self, text: str) -> str:
        """A problem."""
        return self._paint("31", text)

    def green(self, text: str) -> str:
        """Good news."""
        return self._paint("32", text)

    def yellow(self, text: str) -> str:
        """Something doubtful."""
        return self._paint("33", text)

    def cyan(self, text: str) -> str:
        """Neutral emphasis: bars, names."""
        return self._paint("36", text)

    def _paint(self, code: str, text: str) -> str:
        return f"\x1b[{code}m{text}\x1b[0m" if self.colour and text else text


def visible_length(text: str) -> int:
    """Length on the screen: without colour codes."""
    return len(_ESCAPE.sub("", text))


def pad(text: str, width: int, *, right: bool = False) -> str:
    """Fills up to ``width`` visible characters; ``right`` puts the text at the right edge."""
    space = " " * max(0, width - visible_length(text))
    return space + text if right else text + space


def bar(share: float, width: int) -> str:
    """A horizontal bar of ``width`` characters for a share of 0..1, in steps of an eighth of a character."""
    eighths = round(max(0.0, min(1.0, share)) * width * 8)
    full, rest = divmod(eighths, 8)
    return ("█" * full + (_EIGHTHS[rest] if rest else "")).ljust(width)


def interval_bar(low: float, share: float, high: float, width: int) -> str:
    """A bar with its uncertainty: solid up to ``low``, shaded to ``share``, light to ``high`` (all 0..1)."""
    solid, middle, end = (round(max(0.0, min(1.0, x)) * width) for x in (low, share, high))
    middle, end = max(solid, middle), max(solid, middle, end)
    return ("█" * solid + "▓" * (middle - solid) + "░" * (end - middle)).ljust(width)


def percent(share: float) -> str:
    """``62 %``; one decimal below 10 %, and ``<0.1 %`` for what would round to nothing."""
    value = 100 * share
    if 0 < value < 0.05:
        return "<0.1 %"
    return f"{value:.0f} %" if value >= 9.95 or value == 0 else f"{value:.1f} %"


def quantity(value: float) -> str:
    """A count or rate for people: three digits at most matter; thousands are set apart."""
    if abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}".removesuffix(".0") if abs(value) >= 10 else f"{value:.2g}"


_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1a\x1c-\x1f\x7f-\x9f]|\x1b(?!\[[\d;]*m)")


def harmless(text: str) -> str:
    """The text without control characters but line breaks, tabs and colours: names come from files of others."""
    return _CONTROL.sub("\ufffd", text)


def short(value: float, unit: str = "") -> str:
    """Three digits with a prefix, for columns: ``15.0M``, ``1.82 GB`` with a unit."""
    gap = " " if unit else ""
    for size, prefix in ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(value) >= size:
            return f"{value / size:.3g}{gap}{prefix}{unit}"
    return f"{value:.3g}{gap}{unit}"


def wrapped(text: str, width: int, *, first: str = "", rest: str | None = None) -> list[str]:
    """Lines of at most ``width`` characters; ``first`` starts the first one, ``rest`` the others."""
    following = " " * len(first) if rest is None else rest
    lines = textwrap.wrap(
        text.replace(" %", _GLUED),
        width=max(width, len(first) + 20),
        initial_indent=first,
        subsequent_indent=following,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return [line.replace(_GLUED, " %") for line in lines] or [first.rstrip()]
