"""Reads a workload file: statements with weights, a pg_stat_statements dump, or a server log; plain, gzip or zstd."""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import IO, cast

from partadvisor.io.collect.logs import UNREADABLE, decompressed, unreadable
from partadvisor.model.errors import UsageError
from partadvisor.model.snapshot import Statements
from partadvisor.workload.files import parse_workload
from partadvisor.workload.log_records import LogFormat, log_format
from partadvisor.workload.server_log import read_log

Progress = Callable[[str, float | None], None]

_HEAD_BYTES = 256 * 1024
_LINES_A_REPORT = 20_000


def read_workload(
    path: Path,
    *,
    prefix: str | None = None,
    database: str | None = None,
    progress: Progress = lambda _what, _share: None,
) -> Statements:
    """The statements of a file. A server log is streamed, whatever its size; other formats are read whole.

    Args:
        path: the file; what it is shows in its content.
        prefix: ``log_line_prefix`` of the server whose log it is, None to find it out.
        database: of a log only the statements of this database, None for those of all.
        progress: called while reading, with the share of the file that is read (0..1).

    Raises:
        UsageError: it cannot be read, or holds nothing that is understood.
    """
    with closing(_opened(path)) as raw, closing(decompressed(raw)) as file:
        try:
            buffered = io.BufferedReader(cast("io.RawIOBase", file), _HEAD_BYTES)
            format_ = log_format(buffered.peek(_HEAD_BYTES))
            if format_ is None:
                return parse_workload(path.name, buffered.read().decode("utf-8", "replace"))
            lines = _reported(buffered, raw, f"reading {path.name}", progress)
            statements = read_log(path.name, lines, format_, prefix=prefix, database=database)
        except UNREADABLE as error:
            raise unreadable(path, error) from error
    if not statements.entries:
        raise _no_statements(path, format_)
    return statements


def _opened(path: Path) -> io.BufferedReader:
    try:
        return path.open("rb")
    except OSError as error:
        raise unreadable(path, error) from error


def _reported(lines: IO[bytes], raw: io.BufferedReader, what: str, progress: Progress) -> Iterator[bytes]:
    """The lines, with a report of the file's share that is behind them; a pipe has no length."""
    size = os.fstat(raw.fileno()).st_size if raw.seekable() else 0
    for number, line in enumerate(lines):
        if number % _LINES_A_REPORT == 0:
            progress(what, min(1.0, raw.tell() / size) if size else None)
        yield line


def _no_statements(path: Path, format_: LogFormat) -> UsageError:
    return UsageError(
        f'server log "{path}" holds no statements',
        detail=f"It was read as {format_} log.",
        hint="A server logs statements with their duration under log_min_duration_statement = 0.",
    )
