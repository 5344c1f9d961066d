"""``partadvisor apply``: run a migration."""

from __future__ import annotations

from pathlib import Path

import click

from partadvisor.cli import streams
from partadvisor.cli.migrating import on_progress

_KEPT = {
    "copy": "the old table is kept in step",
    "rewrite": "the old table is kept as it was",
    "attach": "the table is a partition now",
    "ahead": "the table is a partition now",
}
"""By strategy, what a rollback goes back to."""


@click.command("apply")
@click.argument("plan_dir", metavar="DIR", type=click.Path(path_type=Path, file_okay=False))
@click.argument("dsn")
@click.option("--dry-run", is_flag=True, help="Only check, and list the steps that would run.")
@click.option("--finish", is_flag=True, help="Also the last phase: drop the old table. There is no way back.")
@click.option(
    "--pause",
    type=click.FloatRange(min=0),
    help="Least rest after each batch, in times of what the batch took.  [default: as clients need]",
)
@click.option(
    "--max-slowdown",
    type=click.FloatRange(min=0),
    default=1.3,
    show_default=True,
    help="Rest longer while clients' statements take more than that many times as long as without the copy; 0: never.",
)
@click.option(
    "--max-lag",
    type=click.FloatRange(min=0),
    default=10,
    show_default=True,
    help="Wait while a standby or subscriber is more than that many seconds behind; 0: never.",
)
@click.option(
    "--max-wal-rate", type=click.FloatRange(min=0, min_open=True), help="Wait while more MB/s of WAL are written."
)
@click.option("--give-up-after", type=click.FloatRange(min=0), help="Seconds a step may keep trying to get its locks.")
@click.option("--skip-second-comparison", is_flag=True, help="Do not compare both tables again after the swap.")
def command(
    plan_dir: Path,
    dsn: str,
    dry_run: bool,
    finish: bool,
    pause: float | None,
    max_slowdown: float,
    max_lag: float,
    max_wal_rate: float | None,
    give_up_after: float | None,
    skip_second_comparison: bool,
) -> None:
    """Run the migration in DIR while the application keeps writing; the same command resumes it.

    Everything up to and including the swap runs; the old table then stays, kept in step, until --finish. Every lock
    is asked for with a timeout and tried again, so no queue stands longer than that. Ctrl-C keeps a valid state.

    \b
    Example:
      partadvisor apply migration "host=db1 dbname=shop user=owner" --dry-run
      partadvisor apply migration "host=db1 dbname=shop user=owner"
      partadvisor apply migration "host=db1 dbname=shop user=owner" --finish
    """  # noqa: D301 - click's mark for "do not wrap"
    from partadvisor.io.migrate.apply import apply
    from partadvisor.io.migrate.progress import ApplyOptions
    from partadvisor.render.outcome_text import outcome_text

    options = ApplyOptions(
        pause=pause, max_slowdown=max_slowdown or None, max_lag_s=max_lag or None,
        max_wal_bytes_per_s=max_wal_rate * 1e6 if max_wal_rate else None, give_up_after_s=give_up_after,
        second_comparison=not skip_second_comparison,
    )  # fmt: skip
    with streams.StopRequest() as stop, streams.progress("apply") as report:
        done = apply(
            plan_dir, dsn, dry_run=dry_run, finish=finish, progress=on_progress(report), stop=stop, options=options
        )
    for line in done.preflight:
        streams.note(f"pre-flight: {line}")
    if dry_run:
        streams.emit("would run:\n" + "\n".join(f"  {step}" for step in done.steps_run))
        return
    streams.emit(outcome_text(done))
    if done.state == "swapped":
        streams.note(f"{_KEPT[done.strategy]}; undo: partadvisor rollback {plan_dir} DSN")
        streams.note(f"when all is well: partadvisor apply {plan_dir} DSN --finish")
