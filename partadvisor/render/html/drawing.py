"""From a matplotlib figure to SVG that belongs into a page: its colours are the page's own, light or dark.

Figures are drawn in stand-in colours, which become CSS variables of the page. Labels are text, never markup or
formulas: a table may be called ``$a$`` or ``<script>``.
"""

from __future__ import annotations

import functools
import io
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ParamSpec

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

P = ParamSpec("P")

INK, MUTED, LINE, ACCENT, SOFT, WARN, GOOD = (f"#0101{n:02x}" for n in range(1, 8))
"""Stand-ins for the page's colours."""
SERIES = tuple(f"#0102{n:02x}" for n in range(1, 9))
"""Stand-ins for colours that tell parts apart."""
_VARIABLES = {
    INK: "ink",
    MUTED: "muted",
    LINE: "line",
    ACCENT: "accent",
    SOFT: "soft",
    WARN: "warn",
    GOOD: "good",
    **{colour: f"series-{n}" for n, colour in enumerate(SERIES, start=1)},
}
_WIDTH_INCHES = 8.0
_STYLE: dict[Any, Any] = {
    "svg.fonttype": "none",
    "text.parse_math": False,
    "font.family": "sans-serif",
    "font.size": 10,
    "text.color": INK,
    "axes.labelcolor": MUTED,
    "axes.edgecolor": LINE,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": LINE,
    "grid.linewidth": 0.6,
    "xtick.color": MUTED,
    "ytick.color": MUTED,
    "xtick.labelcolor": MUTED,
    "ytick.labelcolor": INK,
    "ytick.major.size": 0,
    "legend.frameon": False,
}
_BEFORE_SVG = re.compile(r"^.*?(?=<svg)", re.DOTALL)
_METADATA = re.compile(r"<metadata>.*?</metadata>|<style type=\"text/css\">.*?</style>", re.DOTALL)
_SIZE = re.compile(r'<svg ([^>]*?)width="[^"]*" height="[^"]*"')
_IDENTIFIER = re.compile(r'(id="|url\(#|href="#)')


def styled(chart: Callable[P, str]) -> Callable[P, str]:
    """Makes a function draw in the page's style: every text it makes, too."""

    @functools.wraps(chart)
    def draw(*args: P.args, **kwargs: P.kwargs) -> str:
        import matplotlib

        with matplotlib.rc_context(_STYLE):
            return chart(*args, **kwargs)

    return draw


def figure(height: float) -> tuple[Figure, Axes]:
    """An empty figure of the page's width and ``height`` inches."""
    from matplotlib.figure import Figure

    made = Figure(figsize=(_WIDTH_INCHES, height), layout="constrained")
    axes = made.subplots()
    made.patch.set_visible(False)
    axes.patch.set_visible(False)
    return made, axes


def svg(made: Figure, name: str, title: str) -> str:
    """The figure as an ``<svg>`` element that scales with the page; ``name`` keeps its ids apart from others'."""
    import matplotlib

    text = io.StringIO()
    with matplotlib.rc_context({"svg.hashsalt": name}):
        made.savefig(text, format="svg", metadata={"Date": None})
    drawn = _METADATA.sub("", _BEFORE_SVG.sub("", text.getvalue()))
    drawn = _IDENTIFIER.sub(rf"\g<1>{name}-", drawn)
    for colour, variable in _VARIABLES.items():
        drawn = drawn.replace(colour, f"var(--{variable})")
    return _SIZE.sub(rf'<svg \1role="img" aria-label="{_attribute(title)}"', drawn, count=1)


def _attribute(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace('"', "&quot;").replace("\\", "\\\\")
