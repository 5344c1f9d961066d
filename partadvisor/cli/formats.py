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
    option = click.option(
        "--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True, help="Output form."
    )
    return option(command)


def send(value: V, form: str, as_text: Callable[..., str]) -> None:
    """Write ``value`` to stdout: JSON, or ``as_text(value, width=…, colour=…)``."""
    if form == "json":
        from partadvisor.render.json import json_text

        streams.emit_json(json_text(value).encode())
        return
    streams.emit(as_text(value, width=streams.output_width(), colour=streams.colour_wanted(sys.stdout)))
