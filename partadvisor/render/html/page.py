"""Fills a template: everything that comes from a server or a file is escaped, always."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import TYPE_CHECKING, Any

import partadvisor

if TYPE_CHECKING:
    from jinja2 import Environment

_FOLDER = Path(__file__).parent / "templates"


def page(template: str, title: str, **values: Any) -> str:
    """The page of a template, complete. Values are text; pictures are wrapped with ``drawn``."""
    from markupsafe import Markup

    style = Markup((_FOLDER / "style.css").read_text(encoding="utf-8"))  # noqa: S704  (our own file)
    footer = f"partadvisor {partadvisor.__version__}"
    return _environment().get_template(template).render(title=title, style=style, footer=footer, **values)


def drawn(svg: str) -> Any:
    """An ``<svg>`` element made by ``charts``, which escapes its labels itself."""
    from markupsafe import Markup

    return Markup(svg)  # noqa: S704  (matplotlib escapes text)


@functools.cache
def _environment() -> Environment:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    return Environment(
        loader=FileSystemLoader(_FOLDER),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
