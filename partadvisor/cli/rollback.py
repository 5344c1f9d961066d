"""``partadvisor rollback``: undo a migration."""

from __future__ import annotations

from pathlib import Path

import click

from partadvisor.cli import streams
from partadvisor.cli.migrating import on_progress


@click.command("rollback")
@click.argument("plan_dir", metavar="DIR", type=click.Path(path_type=Path, file_okay=False))
@click.argument("dsn")
def command(plan_dir: Path, dsn: str) -> None:
    """Undo the migration in DIR: before the swap by dropping what was made, after it by swapping back.

    Rows written since the swap are kept. After "apply --finish" there is no way back.

    \b
    Example:
      partadvisor rollback migration "host=db1 dbname=shop user=owner"
    """  # noqa: D301 - click's mark for "do not wrap"
    from partadvisor.io.migrate.rollback import rollback
    from partadvisor.render.outcome_text import outcome_text

    with streams.StopRequest() as stop, streams.progress("rollback") as report:
        done = rollback(plan_dir, dsn, progress=on_progress(report), stop=stop)
    streams.emit(outcome_text(done))
