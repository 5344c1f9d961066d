"""What ``INPUT`` may be: a snapshot file, a DSN, or a schema file with no server at all."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from partadvisor.cli import streams
from partadvisor.io.source import is_dsn
from partadvisor.model.errors import UsageError
from partadvisor.model.snapshot import Snapshot

F = TypeVar("F", bound=Callable[..., Any])
_FILE = click.Path(path_type=Path, dir_okay=False)


def input_options(command: F) -> F:
    """Add the INPUT argument and the offline options to a command."""
    decorators = (
        click.argument("source", metavar="[INPUT]", required=False),
        click.option("--schema", type=_FILE, help="Schema as SQL, instead of INPUT; needs no server."),
        click.option("--queries", type=_FILE,
                     help="Statements: SQL with weights, a pg_stat_statements dump, or a server log."),
        click.option("--log-line-prefix", metavar="PREFIX",
                     help="The server's setting, where that of a log in --queries is not recognised."),
        click.option("--stats", type=_FILE, help="What a live server would have told (TOML), with --schema."),
        click.option("--duration", type=click.FloatRange(min=0), default=20.0, show_default=True,
                     help="Seconds to watch a server, when INPUT is a DSN."),
        click.option("--pg-bin", type=click.Path(path_type=Path, file_okay=False),
                     help="Use the PostgreSQL programs of this folder for the scratch server."),
    )  # fmt: skip
    for decorator in reversed(decorators):
        command = decorator(command)
    return command


def load_input(
    source: str | None,
    *,
    schema: Path | None,
    queries: Path | None,
    stats: Path | None,
    duration: float,
    pg_bin: Path | None,
    log_line_prefix: str | None = None,
) -> Snapshot:
    """The snapshot that INPUT and the offline options stand for.

    Raises:
        UsageError: none or two inputs are given, or a file cannot be read.
        ServerError: INPUT is a DSN and the server cannot be reached.
    """
    if (source is None) == (schema is None):
        raise UsageError(
            "give either INPUT or --schema" if source is None else "INPUT and --schema exclude each other",
            detail="INPUT is a snapshot file or a DSN.",
            hint='For example "partadvisor advise shop.json" or "partadvisor advise --schema schema.sql".',
        )
    if schema is not None:
        return _offline(schema, queries, stats, pg_bin, log_line_prefix)
    if source == "":
        raise UsageError("INPUT is empty", detail="INPUT is a snapshot file or a DSN.")
    if source is not None and is_dsn(source):
        if stats:
            raise UsageError("--stats goes with --schema", hint="A server tells its statistics itself.")
        return _live(source, queries, duration, log_line_prefix)
    return _file(Path(str(source)), queries, stats)


def as_typed(
    source: str | None, schema: Path | None, queries: Path | None, stats: Path | None, log_line_prefix: str | None
) -> str:
    """The input in shell words, for a command to run next. A DSN is left to the user: it may be longer and secret."""
    if source is not None:
        return "INPUT" if is_dsn(source) else shlex.quote(source)
    given = (("--schema", schema), ("--queries", queries), ("--log-line-prefix", log_line_prefix), ("--stats", stats))
    return " ".join(f"{option} {shlex.quote(str(value))}" for option, value in given if value is not None)


def _offline(
    schema: Path, queries: Path | None, stats: Path | None, pg_bin: Path | None, log_line_prefix: str | None
) -> Snapshot:
    from partadvisor.io.offline import offline_snapshot

    with streams.progress("schema") as report:
        return offline_snapshot(schema, queries, stats, pg_bin=pg_bin, log_line_prefix=log_line_prefix, progress=report)


def _live(dsn: str, queries: Path | None, duration: float, log_line_prefix: str | None) -> Snapshot:
    from partadvisor.io.collect.run import CollectOptions, collect

    with streams.progress("collect") as report:
        options = CollectOptions(duration=duration, queries=queries, log_line_prefix=log_line_prefix)
        return collect(dsn, options, progress=report)


def _file(path: Path, queries: Path | None, stats: Path | None) -> Snapshot:
    from partadvisor.io.snapshot_file import read_snapshot

    if queries or stats:
        raise UsageError("--queries and --stats go with --schema", hint="A snapshot already holds statements.")
    return read_snapshot(path)
