"""``partadvisor status``: how far a migration is."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from partadvisor.cli.formats import format_option, send

if TYPE_CHECKING:
    from partadvisor.model.plan import MigrationStatus


@click.command("status")
@click.argument("plan_dir", metavar="DIR", type=click.Path(path_type=Path, file_okay=False))
@click.argument("dsn")
@format_option
def command(plan_dir: Path, dsn: str, form: str) -> None:
    """Show where the migration in DIR is: phase, step, rows, and whether somebody is running it.

    \b
    Example:
      partadvisor status migration "host=db1 dbname=shop user=owner"
    """  # noqa: D301 - click's mark for "do not wrap"
    from partadvisor.io.migrate.status import status

    send(status(plan_dir, dsn), form, _text)


def _text(now: MigrationStatus, *, width: int, colour: bool) -> str:  # noqa: ARG001 - the common shape
    expected = f" of about {now.rows_expected:,.0f}" if now.rows_expected else ""
    rate = f", {now.rows_per_second:,.0f} rows/s" if now.rows_per_second else ""
    lines = [
        f"{now.table} to {now.scheme} ({now.strategy}): {now.state.replace('_', ' ')}",
        f"step {now.steps_done} of {now.steps_total}: {now.phase}{f', {now.step}' if now.step else ''}",
        f"rows copied: {now.rows_copied:,}{expected}{rate}",
        f"changes to carry over: {now.changes_pending:,}",
        "a run is at work" if now.running else "no run is at work",
    ]
    return "\n".join(lines)
