"""``partadvisor collect``: a server's statistics and a while of its life, into one file."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import click

from partadvisor.cli import streams
from partadvisor.model.errors import Stopped

if TYPE_CHECKING:
    from partadvisor.model.snapshot import Snapshot


@click.command("collect")
@click.argument("dsn")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    required=True,
    help='Snapshot file; compressed when its name ends in ".gz"; "-" is standard output.',
)
@click.option("--duration", type=click.FloatRange(min=0), default=60.0, show_default=True, help="Seconds to watch.")
@click.option(
    "--interval", type=click.IntRange(min=20), default=200, show_default=True, help="Milliseconds between looks."
)
@click.option(
    "--queries", type=click.Path(path_type=Path, dir_okay=False), help="Statements with weights, or a server log."
)
@click.option(
    "--log-line-prefix",
    metavar="PREFIX",
    help="The server's setting, where that of a log in --queries is not recognised.",
)
@click.option("--log", "logs", type=click.Path(path_type=Path, dir_okay=False), multiple=True, help="Server log file.")
@click.option("--host-cpu", type=click.FloatRange(0, 1), help="Busy share of the database host's CPU, 0 to 1.")
@click.option("--cores", type=click.IntRange(min=1), help="Cores of the database host.")
@click.option("--redact", is_flag=True, help="Keep hashes and ranks instead of values; the advice stays the same.")
@click.option("--schema-pattern", help="Only schemas whose name fits this pattern; * and ? as in a shell.")
def command(
    dsn: str,
    output: Path,
    duration: float,
    interval: int,
    queries: Path | None,
    log_line_prefix: str | None,
    logs: tuple[Path, ...],
    host_cpu: float | None,
    cores: int | None,
    redact: bool,
    schema_pattern: str | None,
) -> None:
    """Read a server's catalog and statistics, and watch its sessions for a while.

    Read-only, one connection, no lock above ACCESS SHARE. A plain member of pg_monitor is enough; what could not be
    seen is written down in the snapshot. Ctrl-C keeps what was seen so far.

    \b
    Example:
      partadvisor collect "host=db1 dbname=shop user=dba" --duration 60 -o shop.json
    """  # noqa: D301 - click's mark for "do not wrap"
    from partadvisor.io.collect.run import CollectOptions, collect
    from partadvisor.io.snapshot_file import check_writable, snapshot_bytes, write_snapshot

    to_stdout = str(output) == "-"
    if not to_stdout:
        check_writable(output)
    options = CollectOptions(
        duration=duration,
        interval_ms=interval,
        queries=queries,
        log_line_prefix=log_line_prefix,
        logs=logs,
        host_cpu=host_cpu,
        cores=cores,
        redact=redact,
        schema_pattern=schema_pattern,
    )
    with streams.StopRequest() as stop, streams.progress("collect") as report:
        snapshot = collect(dsn, options, progress=report, stop=stop)
    if to_stdout:
        streams.emit_json(snapshot_bytes(snapshot))
    else:
        write_snapshot(output, snapshot)
    place = "standard output" if to_stdout else str(output)
    streams.note(f"wrote {place}: {_contents(snapshot)}")
    for text in snapshot.missing:
        streams.note(f"missing: {text}")
    if stop.requested:
        raise Stopped(
            "stopped before the whole duration was watched",
            detail=f"{place} holds what was seen until then.",
            hint="Run the command again for a full window.",
        )
    if not to_stdout:
        streams.note(f"next: partadvisor diagnose {shlex.quote(str(output))}")


def _contents(snapshot: Snapshot) -> str:
    relations, samples = len(snapshot.relations), len(snapshot.window.samples) if snapshot.window else 0
    return f"{relations} relation{'' if relations == 1 else 's'}, {samples} sample{'' if samples == 1 else 's'}"
