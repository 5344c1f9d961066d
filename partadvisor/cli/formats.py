"""The ``--format`` option, and sending a result out in the asked form."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, TypeVar

import click
import msgspec

from partadvisor.cli import streams

F = TypeVar("F", bound=Callable[..., Any])
V = TypeVar("V", bound=msgspec.Struct)


def format_option(command: F) -> F:
    """Add ``--format text|json``."""
    return _option("text", "json")(command)


def report_format_option(command: F) -> F:
    """Add ``--format text|json|html``."""
    return _option("text", "json", "html")(command)


def _option(*forms: str) -> Callable[[F], F]:
    return click.option(
        "--format", "form", type=click.Choice(forms), default="text", show_default=True, help="Output form."
    )


def send(value: V, form: str, as_text: Callable[..., str], as_html: Callable[[V], str] | None = None) -> None:
    """Write ``value`` to stdout: JSON, ``as_html(value)``, or ``as_text(value, width=…, colour=…)``."""
    if form == "html" and as_html is not None:
        streams.emit_json(as_html(value).encode())
        return
    if form == "json":
        from partadvisor.render.json import json_text

        streams.emit_json(json_text(value).encode())
        return
    streams.emit(as_text(value, width=streams.output_width(), colour=streams.colour_wanted(sys.stdout)))
