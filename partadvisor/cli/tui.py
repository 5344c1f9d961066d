"""``partadvisor tui``: the walkthrough in a terminal."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from partadvisor.cli.inputs import input_options
from partadvisor.model.errors import UsageError


@click.command("tui")
@input_options
def command(
    source: str | None,
    schema: Path | None,
    queries: Path | None,
    stats: Path | None,
    duration: float,
    pg_bin: Path | None,
    log_line_prefix: str | None,
) -> None:
    """Walk through source, tables, diagnosis, candidates, comparison, migration, review and export, by keyboard.

    Without INPUT it asks for a snapshot file or a server, or starts a demo. The key ? explains where one is.

    \b
    Example:
      partadvisor tui
      partadvisor tui shop.json
    """  # noqa: D301 - click's mark for "do not wrap"
    if source is not None and schema is not None:
        raise UsageError("INPUT and --schema exclude each other")
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise UsageError("the walkthrough needs a terminal", hint='Use "partadvisor advise INPUT" in a script.')
    from partadvisor.tui.app import Walkthrough
    from partadvisor.tui.state import Opening

    app = Walkthrough(
        Opening(
            source=source, schema=schema, queries=queries, stats=stats, duration=duration, pg_bin=pg_bin,
            log_line_prefix=log_line_prefix,
        )
    )  # fmt: skip
    try:
        app.run()
    finally:
        app.close_demo()
    if app.defect is not None:
        raise app.defect
